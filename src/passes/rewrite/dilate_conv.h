// Finds the dilation that exporters write into the weights.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A Conv whose constant weights are zero but at taps a multiple of d >= 2 apart, along an axis,
// becomes the Conv of the other taps with its dilation times d: (k - 1) / d + 1 taps in place of k.
// TensorFlow's atrous convolutions are exported so.
//
// Only products with a weight of 0 are left out: the results are the same to the bit where such
// sums are exact or in double, and each kernel's bound holds for the products that are left. An
// infinite or NaN element under such a tap made the result NaN, and does so no more.
void DilateConv(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
