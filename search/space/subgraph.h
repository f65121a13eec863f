// Parts of a network as networks of their own: one group of operators, everything behind it,
// or what lies between some values and others.
// Values keep their numbers; constants share their bytes.
#pragma once

#include <span>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

struct Subgraph {
  Graph graph;                // its inputs are read by `nodes` and made by others, ascending
  std::vector<NodeId> nodes;  // of the whole graph, ascending
};

// These nodes alone. Outputs: everything they make.
Subgraph PartOf(const Graph& graph, std::span<const NodeId> nodes);

// Every node that depends on what these make, but not these. Outputs: outputs of the graph that
// such a node makes; empty when there are none.
Subgraph BehindOf(const Graph& graph, std::span<const NodeId> nodes);

// All nodes, with `outputs` for those of the graph.
Subgraph WholeOf(const Graph& graph, std::span<const ValueId> outputs);

// The nodes that make `to` where `from` is there already. Outputs: `to`, each made by a node;
// inputs are of `from` and of the graph.
Subgraph BetweenOf(const Graph& graph, std::span<const ValueId> from, std::span<const ValueId> to);

// The nodes of a plan for the whole graph. Inputs and outputs whose dtype modes can change are
// float32.
PrecisionPlan PlanOf(const Subgraph& part, const PrecisionPlan& whole);

}  // namespace halftone
