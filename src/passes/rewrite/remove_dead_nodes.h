// Removal of nodes and constants that no output of the network depends on.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Removes nodes without a needed output, and frees the memory of constants that nothing reads. A
// constant stays if a remaining value stands for it (Value::stands_for), because scales are looked
// up by it.
void RemoveDeadNodes(Graph& graph);

}  // namespace halftone
