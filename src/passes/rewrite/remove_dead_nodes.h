// Removal of what no output of the network depends on.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Removes nodes without a needed output; frees the memory of constants that nothing reads.
void RemoveDeadNodes(Graph& graph);

// The same, but constants stay that those left stand for: scales are looked up by them.
void RemoveDeadConstants(Graph& graph);

}  // namespace halftone
