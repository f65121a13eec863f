// The model of the user, with the places of its nodes and tensors.
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
  // `network` is the graph of the file. Refers to both.
  SourceFile(const onnx::GraphProto& graph, const Graph& network);

  // Index of the node that makes a tensor; -1: none does.
  [[nodiscard]] int ProducerOf(const std::string& tensor) const;

  // Index of the node that became a node of the network; -1: the importer added that.
  [[nodiscard]] int NodeOf(NodeId node) const;

  // True if the file has a tensor that is no constant.
  [[nodiscard]] bool Has(const std::string& tensor) const;

  const onnx::GraphProto& graph;
  const Graph& network;
  std::map<std::string, int> producers;  // by output
  // Tensors that depend neither on an input of the model nor on the shape of one. Values that come
  // from shapes are constants of the network alone, which was imported for one shape.
  std::set<std::string> constants;
};

}  // namespace halftone
