// Rewrite of transposed convolutions with stride 1 to convolutions.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A ConvTranspose with all strides 1 and constant weights becomes a Conv with the taps of each
// window in reverse, input and output channels of a group exchanged, and a padding of (k - 1)
// dilation less its own. The same products are added in another order: the result stays within the
// bound of either (kernels/conv/conv.h). A ConvTranspose with a padding above (k - 1) dilation,
// which crops the output, does not change.
void ConvTransposeToConv(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
