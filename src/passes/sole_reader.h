// Which values may disappear into a fused node.
#pragma once

#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// For each value the node that is its only reader; kNoNode when it has none, several, or is a graph
// output.
std::vector<NodeId> SoleReadersOf(const Graph& graph);

// `main` takes over the output of `absorbed`, and its names behind its own. `absorbed` is left
// without outputs, for RemoveEmptiedNodes.
void Absorb(Node& main, Node& absorbed);

void RemoveEmptiedNodes(Graph& graph);

}  // namespace halftone
