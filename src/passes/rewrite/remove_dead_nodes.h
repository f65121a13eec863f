// Removal of what no output of the network depends on.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Removes nodes without a needed output; frees the memory of constants that nothing reads.
// Constants stay that those left stand for: scales are looked up by them.
void RemoveDeadNodes(Graph& graph);

}  // namespace halftone
