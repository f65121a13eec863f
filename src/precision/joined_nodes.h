// Nodes that a target joins before it assigns types: they have one precision, and a line of
// keep_dtype on one of them keeps them all.
//
// These are the fusions of TargetSpec::fusions that put constants into weights (fold_batch_norm).
// Cloud AI joins nodes of one precision after that is chosen, so there no node is joined.
#pragma once

#include <vector>

#include "src/ir/graph.h"
#include "src/target/target_spec.h"

namespace halftone {

// For each node, the main node of those that it is joined with, or itself. A node is joined with
// the one before it if the fusion has the types of both, all other operands of both are constants,
// and nothing else reads the value between. Fusions that are switched off here (Graph::fusions_off)
// count too: the switches have names of halftone, and the target joins the nodes all the same.
std::vector<NodeId> JoinedWith(const Graph& graph, const TargetSpec& target);

}  // namespace halftone
