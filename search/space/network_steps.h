// Steps of a network: groups of operators that run as one step when all of them are in float32. The
// operators of a step are decided, kept in float32 and probed together, because separating them
// costs more time than it gains in accuracy.
#pragma once

#include <vector>

#include "search/space/subgraph.h"
#include "src/ir/graph.h"
#include "src/target/target_fusions.h"

namespace halftone {

// Partition of the nodes of a graph into steps.
struct NetworkSteps {
  // Per step: its nodes, ascending. The steps are in a topological order.
  std::vector<std::vector<NodeId>> nodes;
  std::vector<NodeId> step_of;  // by node
  std::vector<NodeId> main;     // per step: the node whose name the step has
  std::vector<Node> fused;      // per step: the node that runs, made by fusion
};

// Steps into which the float32 plan is lowered (src/exec/fuse_by_plan.h) on a target with these
// fusions; null: the fusions of the host.
NetworkSteps StepsOf(const Graph& graph, const SharedFusions& fusions = nullptr);

// Graph with one node per step. The operands of a node are the values that its step reads from
// outside the step. Its results are the values of the step that other steps or the caller read.
// Values keep their numbers.
Graph StepGraph(const Graph& graph, const NetworkSteps& steps);

// Subgraph of `graph` with the nodes of all steps in `of_steps`, which is a subgraph of
// StepGraph().
Subgraph Expanded(const Graph& graph, const NetworkSteps& steps, const Subgraph& of_steps);

}  // namespace halftone
