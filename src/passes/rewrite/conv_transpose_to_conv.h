// Transposed convolutions that are convolutions in disguise.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A ConvTranspose whose strides are all 1 and whose weights are constant becomes the Conv with the
// taps of each window in reverse, input and output channels of a group exchanged, and the padding
// that remains of (k - 1) dilation. The same products are added in another order: the result stays
// within the bound of either (kernels/conv/conv.h). A padding of more than (k - 1) dilation, which
// cuts the output, is left as it is.
void ConvTransposeToConv(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
