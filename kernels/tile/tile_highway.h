// Tiles on fused multiply-add, for every vector width of Highway. B is float32, or it has 16 bits
// and the inner loop widens it exactly.
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

void TileFloat(const TileArgs& args) noexcept;
void TileFloat16(const TileArgs& args) noexcept;
void TileBFloat16(const TileArgs& args) noexcept;

// True if a tile converts TileArgs::next: on targets that hold all its rows in registers. Its
// loads, conversions and stores then fill issue slots that multiplications leave. On the dot units,
// the conversion made the tile take up to 1.1 times as long (Zen 5).
bool HighwayConvertsAhead();

}  // namespace halftone
