// Networks of Add nodes, for tests of what depends on the order of nodes alone.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone::testing {

// Node n adds the results that `reads(n)` names: 0 is the input, n + 1 the result of node n. The
// last result is the output. `elements(n)`: number of elements of the result of node n.
template <typename Reads, typename Elements>
Graph AddingNetwork(int nodes, const Reads& reads, const Elements& elements) {
  Graph graph;
  graph.inputs = {graph.AddValue({"x", {DType::kFloat32, Shape{1}}, {}})};
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.op = OpKind::kAdd;
    node.name = "node" + std::to_string(n);
    node.inputs = reads(n);
    node.outputs = {
        graph.AddValue({node.name + "_out", {DType::kFloat32, Shape{elements(n)}}, {}})};
    graph.nodes.push_back(node);
  }
  graph.outputs = {static_cast<ValueId>(nodes)};
  return graph;
}

}  // namespace halftone::testing
