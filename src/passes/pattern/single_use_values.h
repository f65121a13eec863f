// Values with one reader, which may disappear into a fused node.
#pragma once

#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The only reader of each value; kNoNode for values without readers, for values with several, and
// for graph outputs.
std::vector<NodeId> SingleUseReadersOf(const Graph& graph);

// Removes the nodes without outputs, which Fusing::Absorb() leaves (src/passes/pattern/fusing.h).
void RemoveEmptiedNodes(Graph& graph);

}  // namespace halftone
