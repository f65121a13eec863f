// Attributes of a NodeProto, and the table of those that each operator may have.
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

// All attributes of `node` but subgraphs. `folder` is the model's, for tensors with external data.
// Error kModel for one without a type or given twice, kUnsupported for kinds halftone has no use
// for.
Attributes AttributesOf(const onnx::NodeProto& node, const std::filesystem::path& folder);

// An attribute that an operator may have. Kinds: i integer, f float, s text, I integers, F floats,
// t tensor.
struct AttributeRow {
  std::string_view name;
  char kind;
};

// Attribute rows of the operator in its newest form; empty: it has none.
std::vector<AttributeRow> AttributeRowsOf(OpKind op);

// Error kUnsupported for an attribute that halftone gives no meaning to for this operator (in its
// newest form): ignoring it could change results. kModel for one of the wrong kind.
void CheckAttributes(OpKind op, const Attributes& attributes);

}  // namespace halftone
