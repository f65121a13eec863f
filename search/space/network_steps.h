// The steps of a network in float32: operators that run as one step when their precision is alike.
// They are decided, kept and probed together, since to part them costs time and gains what a better
// choice for all of them gains as well.
#pragma once

#include <vector>

#include "search/space/subgraph.h"
#include "src/ir/graph.h"

namespace halftone {

// A partition of the nodes.
struct NetworkSteps {
  std::vector<std::vector<NodeId>> nodes;  // by step, in an order in which they can run; ascending
  std::vector<NodeId> step_of;             // by node
  std::vector<NodeId> main;                // by step: the node that gives it its name
  std::vector<Node> fused;                 // by step: what runs; its values are of no other graph
};

// As the plan of float32 is lowered (src/exec/fuse_by_plan.h).
NetworkSteps StepsOf(const Graph& graph);

// One node a step, with the operands that others make and the results that others, or the caller,
// read; values keep their numbers.
Graph StepGraph(const Graph& graph, const NetworkSteps& steps);

// The nodes of a part of StepGraph().
Subgraph Expanded(const Graph& graph, const NetworkSteps& steps, const Subgraph& of_steps);

}  // namespace halftone
