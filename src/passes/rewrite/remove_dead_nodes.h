// Removal of nodes and constants that no output of the network needs.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Removes nodes that no output of the network needs, and frees the memory of constants that nothing
// reads. A constant stays if a remaining constant stands for it (Value::stands_for), because scales
// are found by its name.
void RemoveDeadNodes(Graph& graph);

}  // namespace halftone
