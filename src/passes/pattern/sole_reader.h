// Which values may disappear into a fused node.
#pragma once

#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// For each value the node that is its only reader; kNoNode when it has none, several, or is a graph
// output.
std::vector<NodeId> SoleReadersOf(const Graph& graph);

// Nodes whose outputs another one took over (src/passes/pattern/fusing.h).
void RemoveEmptiedNodes(Graph& graph);

}  // namespace halftone
