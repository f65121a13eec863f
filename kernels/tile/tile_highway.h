// Tiles on fused multiply-add, for every vector width of Highway. B is float32, or has 16-bit
// elements that the inner loop widens exactly.
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

void TileFloat(const TileArgs& args) noexcept;
void TileFloat16(const TileArgs& args) noexcept;
void TileBFloat16(const TileArgs& args) noexcept;

// True if these tiles convert TileArgs::next. They do on targets that hold all rows of a tile in
// registers: loads, conversions and stores then fill issue slots that multiplications leave.
// (TilePairs() does not convert: with the conversion it took up to 1.1 times as long on Zen 5.)
bool HighwayConvertsAhead();

}  // namespace halftone
