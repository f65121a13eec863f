// Recovery of the dilation that exporters write into the weights.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A Conv whose constant weights are zero except at taps a multiple of d >= 2 apart, along an axis,
// becomes the Conv of these taps with its dilation times d: (k - 1) / d + 1 taps in place of k.
// TensorFlow exports atrous convolutions this way.
//
// Only products with a weight of 0 are omitted: results are equal to the bit where such sums are
// exact or in double, and the bound of each kernel holds for the remaining products. An infinite or
// NaN element under such a tap made the result NaN and no longer does.
void DilateConv(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
