// Removal of nodes whose output has the elements, dtype and shape of their input.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Removes Identity, Cast to the same dtype, Reshape, Flatten, Squeeze, Unsqueeze and Expand to the
// same shape, Transpose that moves no axis, and Concat of one input. Their names leave the graph: a
// plan has no choice for a node that computes nothing. A node stays if it copies a graph input, a
// constant or a graph output to another graph output.
void RemoveIdentities(Graph& graph);

}  // namespace halftone
