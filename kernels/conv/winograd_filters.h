// Weights of F(2x2, 3x3) on the dot units.
#pragma once

#include "kernels/tile/pack_panels.h"
#include "src/ir/tensor.h"

namespace halftone {

// [O, C, 3, 3] of float32, float16 or bfloat16, transformed in double and rounded to bfloat16 once:
// panel after panel of `layout` (k = C, n = O, tile TilePairs), each for one product after the
// other.
Tensor PackWinogradFilters(const Tensor& weights, const PanelLayout& layout);

}  // namespace halftone
