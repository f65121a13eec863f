// Subgraphs of a network as networks of their own: one group of operators, everything downstream of
// it, or the nodes between two sets of values. Values keep their numbers, and constants are shared
// with the network.
#pragma once

#include <span>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

struct Subgraph {
  // Its inputs are the values that `nodes` read and do not produce, ascending; constants are no
  // inputs.
  Graph graph;
  std::vector<NodeId> nodes;  // ids in the whole graph, ascending
};

// Subgraph of these nodes. Its outputs are all their results.
Subgraph PartOf(const Graph& graph, std::span<const NodeId> nodes);

// Subgraph of all nodes downstream of `nodes`, without `nodes`. Its outputs are the graph outputs
// that these nodes produce; there may be none.
Subgraph BehindOf(const Graph& graph, std::span<const NodeId> nodes);

// The part of BehindOf() before node `end`. Its outputs are the results that are graph outputs or
// that nodes from `end` on read.
Subgraph BehindOf(const Graph& graph, std::span<const NodeId> nodes, NodeId end);

// Subgraph of the nodes from `begin` on that are downstream of `values`. Its outputs are the graph
// outputs that these nodes produce; there may be none.
Subgraph DownstreamOf(const Graph& graph, std::span<const ValueId> values, NodeId begin);

// Subgraph of all nodes, with `outputs` in place of the graph's outputs.
Subgraph WholeOf(const Graph& graph, std::span<const ValueId> outputs);

// Subgraph of the nodes that compute `to` from `from`. Its outputs are `to`, each of which must be
// a result of a node. Its inputs are values of `from` and graph inputs.
Subgraph BetweenOf(const Graph& graph, std::span<const ValueId> from, std::span<const ValueId> to);

// Plan of a subgraph, taken from the plan of the whole graph. Inputs and outputs of a floating
// dtype that a mode can change are float32.
PrecisionPlan PlanOf(const Subgraph& part, const PrecisionPlan& whole);

}  // namespace halftone
