// What a writer of ONNX files adds to a GraphProto: names that are free, initializers, nodes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "src/ir/attributes.h"
#include "src/ir/tensor.h"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace halftone {

// Adds to `graph`, which must outlive it.
class ModelParts {
 public:
  explicit ModelParts(onnx::GraphProto& graph);

  // `name`, or the first of name_2, name_3, ... that neither a tensor nor a node of the file has.
  std::string FreeName(const std::string& name);

  // An initializer with the elements of `tensor`; the name that it got.
  std::string AddTensor(const std::string& name, const Tensor& tensor);

 private:
  onnx::GraphProto& graph_;
  std::unordered_set<std::string> taken_;
};

// A node without attributes; an empty input is one that is left out.
onnx::NodeProto MakeNode(std::string_view type, std::string name,
                         const std::vector<std::string>& inputs, std::string output);

void SetInt(onnx::NodeProto& node, std::string_view name, std::int64_t value);
void SetText(onnx::NodeProto& node, std::string_view name, std::string_view value);
// All of `attributes`. Tensors are no attributes of the operators that writers make: an internal
// error.
void SetAttributes(onnx::NodeProto& node, const Attributes& attributes);

// Takes an attribute away; false: the node does not have it.
bool EraseAttribute(onnx::NodeProto& node, std::string_view name);

}  // namespace halftone
