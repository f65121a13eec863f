// Removal of nodes whose output has the elements, dtype and shape of their input.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Removes Identity, Cast to the same dtype, Reshape (and the like) and Expand to the same shape,
// Transpose that moves no axis, and Concat of one input. Their names leave the graph: they compute
// nothing, so there is nothing to choose for them. A node that copies a graph input or a graph
// output to another graph output stays.
void RemoveIdentities(Graph& graph);

}  // namespace halftone
