// Removes nodes whose output has the elements, the dtype and the shape of their input.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Identity, Cast to the same dtype, Reshape and its kin and Expand to the same shape, Transpose
// that moves no axis, Concat of one input. Their names are gone from the graph: they compute
// nothing, so there is nothing to choose for them. One that copies a graph input or a graph output
// to another graph output stays.
void RemoveIdentities(Graph& graph);

}  // namespace halftone
