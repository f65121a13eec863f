// Tile on the bf16 unit of AMX (TDPBF16PS), which multiplies 16 x 32 by 32 x 16 elements at once.
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

// Tile of kAmxRows x kAmxColumns on bfloat16 pairs. Requires kIsaAmxBf16. On architectures other
// than x86-64, the function does nothing and must not be called. Results equal those of
// AmxEmulated::Run() bit for bit.
void TileAmxBf16(const TileArgs& args) noexcept;

}  // namespace halftone
