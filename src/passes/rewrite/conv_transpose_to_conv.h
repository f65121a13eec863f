// Rewrite of transposed convolutions of stride 1 to convolutions.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Rewrites each ConvTranspose with constant weights and all strides 1 to a Conv. The taps of each
// window are reversed, input and output channels of a group are exchanged, and the padding p
// becomes (k - 1) dilation - p for a kernel of k taps. The same products are added in another
// order, so the result stays within the bound of both kernels (kernels/conv/conv.h). A
// ConvTranspose with a padding above (k - 1) dilation, which crops the output, does not change.
void ConvTransposeToConv(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
