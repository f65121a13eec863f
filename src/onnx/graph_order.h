// The order in which the nodes of a GraphProto can be imported, and its structural checks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace halftone {

// "node 'conv1' (Conv)"; a node without a name is called by its index in the file.
std::string DescribeProto(const onnx::NodeProto& node, int index);

// The names that `node` reads, including those that its subgraphs take from outside.
std::vector<std::string> NamesReadBy(const onnx::NodeProto& node);

// Indices of graph.node() in topological order, stable. is_visible(name): whether a graph around
// this one makes it. Error kModel: a name made twice, an input that nothing makes, a cycle.
std::vector<int> NodeOrder(const onnx::GraphProto& graph,
                           const std::function<bool(const std::string&)>& is_visible);

}  // namespace halftone
