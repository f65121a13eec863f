// Tile on the multiply-adds of float16 (AVX512-FP16): twice the products of float32 per
// instruction.
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

// Sums by kFastFloat16Sums, with the bits of Float16Emulated (kernels/tile/fp16_emulated.h).
// Requires kIsaAvx512Fp16. Where the compiler cannot build for it, the function does nothing and
// must not be called.
void TileFloat16Pairs(const TileArgs& args) noexcept;

}  // namespace halftone
