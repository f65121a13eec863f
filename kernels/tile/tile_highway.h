// The tiles by fused multiply-add, for every vector width that Highway knows. B is float32, or of
// 16 bits and widened in the inner loop (exact).
#pragma once

#include "kernels/tile/tile.h"

namespace halftone {

void TileFloat(const TileArgs& args) noexcept;
void TileFloat16(const TileArgs& args) noexcept;
void TileBFloat16(const TileArgs& args) noexcept;

// Where all rows are in registers. Loads, conversions and stores fill what multiplications leave of
// each cycle there; dot products took up to 1.1 times as long with them (Zen 5).
bool HighwayConvertsAhead();

}  // namespace halftone
