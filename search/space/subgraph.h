// Subgraphs of a network as networks of their own: one group of operators, everything downstream of
// it, or the nodes between two sets of values. Values keep their numbers; constants share their
// bytes.
#pragma once

#include <span>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

struct Subgraph {
  Graph graph;                // inputs: values that `nodes` read and other nodes produce, ascending
  std::vector<NodeId> nodes;  // ids in the whole graph, ascending
};

// Subgraph of these nodes. Outputs: all their results.
Subgraph PartOf(const Graph& graph, std::span<const NodeId> nodes);

// Subgraph of all nodes downstream of `nodes`, without `nodes`. Outputs: the graph outputs that it
// produces; empty if there are none.
Subgraph BehindOf(const Graph& graph, std::span<const NodeId> nodes);

// All nodes, with `outputs` in place of the graph's outputs.
Subgraph WholeOf(const Graph& graph, std::span<const ValueId> outputs);

// The nodes that compute `to` from `from`. Outputs: `to`, each produced by a node; inputs: values
// of `from` and graph inputs.
Subgraph BetweenOf(const Graph& graph, std::span<const ValueId> from, std::span<const ValueId> to);

// Plan of a subgraph, taken from the plan of the whole graph. Inputs and outputs whose dtype modes
// can change are float32.
PrecisionPlan PlanOf(const Subgraph& part, const PrecisionPlan& whole);

}  // namespace halftone
