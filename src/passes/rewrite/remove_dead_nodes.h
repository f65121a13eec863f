// Removes what no output of the network depends on.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Nodes none of whose outputs is needed go; constants that nothing reads give back their memory.
void RemoveDeadNodes(Graph& graph);

}  // namespace halftone
