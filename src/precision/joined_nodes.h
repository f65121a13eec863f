// Nodes that a target joins before it assigns dtypes. Joined nodes have one precision, and a line
// of keep_dtype for one of them keeps all of them.
//
// A target joins nodes by those of its fusions (TargetSpec::fusions) that fold constants into
// weights (fold_batch_norm). Cloud AI chooses precisions before it joins nodes, so no node counts
// as joined there.
#pragma once

#include <vector>

#include "src/ir/graph.h"
#include "src/target/target_spec.h"

namespace halftone {

// For each node, the main node with which it is joined, or the node itself. A node is joined with
// the node before it if a fusion has the types of both, all other operands of both are constants,
// and nothing else reads the value between them. A fusion in Graph::fusions_off counts too, because
// that switches off only halftone's fusion; the target still joins the nodes.
std::vector<NodeId> JoinedWith(const Graph& graph, const TargetSpec& target);

}  // namespace halftone
