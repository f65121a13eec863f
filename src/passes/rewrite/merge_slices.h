// Merge of Slices along different axes.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Merges a Slice with the Slice that is the only reader of its result, if the two cut different
// axes and have constant starts, ends, axes and steps. The merged Slice may be merged again.
// Exporters write x[..., a::2, b::2] as two Slices, of which the first copies elements that the
// second drops. Results are equal to the bit.
void MergeSlices(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
