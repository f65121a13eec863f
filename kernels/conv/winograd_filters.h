// Weights of F(2x2, 3x3) on the dot units.
#pragma once

#include "kernels/tile/pack_panels.h"
#include "src/ir/tensor.h"

namespace halftone {

// Transforms [O, C, 3, 3] of float32, float16 or bfloat16 in double and rounds it to bfloat16 once.
// The result is packed panels of `layout` (k = C, n = O, tile avx512_bf16), one product after the
// other.
Tensor PackWinogradFilters(const Tensor& weights, const PanelLayout& layout);

}  // namespace halftone
