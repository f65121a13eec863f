// Steps of a network in float32: operators that run as one step when their precision is equal. They
// are decided, kept in float32 and probed together: to separate them costs time, and a better
// choice for all of them gains as much.
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
// null: those of the host.
NetworkSteps StepsOf(const Graph& graph, const SharedFusions& fusions = nullptr);

// Graph with one node per step, whose operands other steps produce and whose results other steps or
// the caller read; values keep their numbers.
Graph StepGraph(const Graph& graph, const NetworkSteps& steps);

// The subgraph of own nodes for a subgraph of StepGraph().
Subgraph Expanded(const Graph& graph, const NetworkSteps& steps, const Subgraph& of_steps);

}  // namespace halftone
