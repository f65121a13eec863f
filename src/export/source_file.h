// The model of the user as a file, with an index of its nodes and tensors.
#pragma once

#include <map>
#include <set>
#include <string>

#include "src/ir/graph.h"

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace halftone {

struct SourceFile {
  // `network` was imported from the file of `graph`. Refers to both.
  SourceFile(const onnx::GraphProto& graph, const Graph& network);

  // Index of the node that makes a tensor; -1 if no node does.
  [[nodiscard]] int ProducerOf(const std::string& tensor) const;

  // Index of the node that became a node of the network; -1 if the importer added the latter.
  [[nodiscard]] int NodeOf(NodeId node) const;

  // True if a node of the file makes the tensor, or it is an input of the file.
  [[nodiscard]] bool Has(const std::string& tensor) const;

  const onnx::GraphProto& graph;
  const Graph& network;
  std::map<std::string, int> producers;  // by output
  // Tensors that depend neither on an input of the model nor on the shape of an input. A value that
  // comes from a shape is a constant of the network alone, which was imported for one shape.
  std::set<std::string> constants;
};

}  // namespace halftone
