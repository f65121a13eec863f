// Topological order of the nodes of a GraphProto, and checks of its structure.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace halftone {

// Returns the node for messages: "node 'conv1' (Conv)". `index`: index of the node in the file,
// which stands for a missing name.
std::string DescribeProto(const onnx::NodeProto& node, int index);

// Returns the names that `node` reads, including those that its subgraphs read from outside.
std::vector<std::string> NamesReadBy(const onnx::NodeProto& node);

// Returns the indices of graph.node() in a topological order; nodes that are in one already stay as
// they are. is_visible(name): true if a graph around this one has the value. Error kModel: two
// values of one name, an input without a source, or a cycle.
std::vector<int> NodeOrder(const onnx::GraphProto& graph,
                           const std::function<bool(const std::string&)>& is_visible);

}  // namespace halftone
