// Slices of a Slice along other axes.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A Slice that is the only reader of another, along other axes, becomes one Slice with it, where
// both have constant starts, ends, axes and steps: x[..., a::2, b::2] comes as two from exporters,
// of which the first copies what the second leaves out. The bits stay.
void MergeSlices(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
