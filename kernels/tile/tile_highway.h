// Tiles on fused multiply-add, for every vector width of Highway. B is float32, or has 16 bits and
// is widened in the inner loop (exact).
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

void TileFloat(const TileArgs& args) noexcept;
void TileFloat16(const TileArgs& args) noexcept;
void TileBFloat16(const TileArgs& args) noexcept;

// Whether a tile converts TileArgs::next: where all rows are in registers. There, loads,
// conversions and stores fill the issue slots that multiplications leave; dot products took up to
// 1.1 times as long with them (Zen 5).
bool HighwayConvertsAhead();

}  // namespace halftone
