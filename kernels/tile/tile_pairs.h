// Tile on the bf16 dot units (vdpbf16ps): twice the products of FMA per instruction.
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

// Requires kIsaAvx512Bf16. Where the compiler cannot build for it, the function does nothing and
// must not be called. The instruction takes subnormal operands as zero and flushes subnormal sums
// to zero.
void TilePairs(const TileArgs& args) noexcept;

}  // namespace halftone
