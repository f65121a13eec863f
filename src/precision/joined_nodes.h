// Nodes that a target joins before it gives types: they have one precision, and a line of
// keep_dtype on one of them keeps them all.
//
// Fusions of TargetSpec::fusions whose constants go into weights (fold_batch_norm). Cloud AI joins
// nodes of one precision after that is chosen, so there each node is its own.
#pragma once

#include <vector>

#include "src/ir/graph.h"
#include "src/target/target_spec.h"

namespace halftone {

// Per node: the main node of those that it is joined with, itself where there are none. A node is
// joined with the one before it where the fusion has the types of both, all other operands of both
// are constants, and nothing else reads the value between. Fusions that are switched off here
// (Graph::fusions_off) have names of halftone, and the target joins the nodes all the same.
std::vector<NodeId> JoinedWith(const Graph& graph, const TargetSpec& target);

}  // namespace halftone
