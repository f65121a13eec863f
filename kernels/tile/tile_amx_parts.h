// Tiles of floats in bfloat16 parts on the bf16 unit of AMX.
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

// Tiles of kAmxRows x kAmxColumns. Require kIsaAmxBf16. On architectures other than x86-64, the
// functions do nothing and must not be called. Results equal those of PartsEmulated<2>::Run() and
// PartsEmulated<3>::Run() bit for bit.
void TileAmxTwoParts(const TileArgs& args) noexcept;
void TileAmxThreeParts(const TileArgs& args) noexcept;

}  // namespace halftone
