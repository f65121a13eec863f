// Values with one reader: those that may disappear into a fused node.
#pragma once

#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The reader of each single-use value; kNoNode for values with no or several readers and for graph
// outputs.
std::vector<NodeId> SingleUseReadersOf(const Graph& graph);

// Removes the nodes whose outputs another node took over (src/passes/pattern/fusing.h).
void RemoveEmptiedNodes(Graph& graph);

}  // namespace halftone
