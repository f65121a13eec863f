// Steps of a network in float32: operators that run as one step when their precision is equal. They
// are decided, kept in float32 and probed together, because separating them costs more time than it
// gains in accuracy.
#pragma once

#include <vector>

#include "search/space/subgraph.h"
#include "src/ir/graph.h"
#include "src/target/target_fusions.h"

namespace halftone {

// A partition of the nodes.
struct NetworkSteps {
  std::vector<std::vector<NodeId>> nodes;  // per step, in a topological order; ascending
  std::vector<NodeId> step_of;             // by node
  std::vector<NodeId> main;                // per step: the node that gives it its name
  std::vector<Node> fused;  // per step: the node that runs; its values belong to no other graph
};

// Steps as the float32 plan is lowered (src/exec/fuse_by_plan.h) on a target with these fusions;
// null means the fusions of the host.
NetworkSteps StepsOf(const Graph& graph, const SharedFusions& fusions = nullptr);

// Graph with one node per step. Its operands are values that other steps produce; its results are
// values that other steps or the caller read. Values keep their numbers.
Graph StepGraph(const Graph& graph, const NetworkSteps& steps);

// The subgraph of `graph` for a subgraph of StepGraph(): the nodes of its steps.
Subgraph Expanded(const Graph& graph, const NetworkSteps& steps, const Subgraph& of_steps);

}  // namespace halftone
