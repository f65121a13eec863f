// Attributes of a NodeProto, and the table of attributes that each operator may have.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "src/ir/attributes.h"
#include "src/ir/op_kind.h"

namespace onnx {
class NodeProto;
}  // namespace onnx

namespace halftone {

// Returns all attributes of `node` except subgraphs. `folder`: folder of the model, for tensors
// with external data. Errors: kModel for an attribute without a type, or one that is given twice;
// kUnsupported for a kind that halftone does not use; as TensorOf().
Attributes AttributesOf(const onnx::NodeProto& node, const std::filesystem::path& folder);

// An attribute that an operator may have.
struct AttributeRow {
  std::string_view name;
  char kind;  // i integer, f float, s text, I integers, F floats, t tensor
};

// Returns the attributes of the newest version of the operator; empty: it has none.
std::vector<AttributeRow> AttributeRowsOf(OpKind op);

// Checks the attributes of an operator in its newest version. Errors: kUnsupported for an attribute
// that halftone does not know for this operator, because ignoring it could change results; kModel
// for one of the wrong kind.
void CheckAttributes(OpKind op, const Attributes& attributes);

}  // namespace halftone
