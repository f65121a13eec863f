// Merge of Slices along different axes.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Two Slices along different axes become one, where the second is the only reader of the first and
// both have constant starts, ends, axes and steps. Exporters write x[..., a::2, b::2] as two, of
// which the first copies elements that the second drops. Results are equal to the bit.
void MergeSlices(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
