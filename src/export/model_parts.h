// Additions of a writer of ONNX files to a GraphProto: free names, initializers, nodes.
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

// Adds parts to `graph`, which must outlive it.
class ModelParts {
 public:
  explicit ModelParts(onnx::GraphProto& graph);

  // `name`, or the first of name_2, name_3, ... that neither a tensor nor a node of the file has.
  std::string FreeName(const std::string& name);

  // Adds an initializer with the elements of `tensor`. Returns the name that it got:
  // FreeName(name).
  std::string AddTensor(const std::string& name, const Tensor& tensor);

 private:
  onnx::GraphProto& graph_;
  std::unordered_set<std::string> taken_;
};

// A node without attributes. An empty name in `inputs` leaves that input out.
onnx::NodeProto MakeNode(std::string_view type, std::string name,
                         const std::vector<std::string>& inputs, std::string output);

void SetInt(onnx::NodeProto& node, std::string_view name, std::int64_t value);
void SetText(onnx::NodeProto& node, std::string_view name, std::string_view value);
// Sets all of `attributes`. Error kInternal: one is a tensor, which no operator that writers make
// has.
void SetAttributes(onnx::NodeProto& node, const Attributes& attributes);

// Removes an attribute. False if the node does not have it.
bool EraseAttribute(onnx::NodeProto& node, std::string_view name);

// Puts the nodes of a file into topological order, which runtimes want and some writers ignore.
// Error kModel: a cycle, or a tensor that nothing makes.
void SortNodes(onnx::GraphProto& graph);

}  // namespace halftone
