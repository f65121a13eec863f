// Transformed weights of F(2x2, 3x3) for the bf16 dot units.
#pragma once

#include "kernels/tile/pack_panels.h"
#include "src/ir/tensor.h"

namespace halftone {

// Transforms weights [O, C, 3, 3] of float32, float16 or bfloat16 in double and rounds them to
// bfloat16 once. The result holds packed panels of `layout` (k = C, n = O, tile avx512_bf16): the
// first panel of each of the 16 products, then the second panel of each, and so on.
Tensor PackWinogradFilters(const Tensor& weights, const PanelLayout& layout);

}  // namespace halftone
