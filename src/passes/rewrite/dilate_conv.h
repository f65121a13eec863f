// Rewrite of convolutions whose weights contain a dilation as zeros between the taps.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Rewrites each Conv whose constant weights are, along some axis, zero except at every d-th tap,
// for a d >= 2. It becomes the Conv of these taps with its dilation times d, with (k - 1) / d + 1
// taps in place of k. TensorFlow exports atrous convolutions this way.
//
// Only products with a weight of 0 are omitted. So results are equal to the bit if sums are exact
// or in double, and the bound of each kernel holds for the remaining products. An infinite or NaN
// element under an omitted tap no longer makes the result NaN.
void DilateConv(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
