// Register tile of quantised products: C[12 x 32] (+)= A[12 x 4 steps] * B in int32.
//
// A is row-major uint8; B int8 in panels of 32 columns (byte_panels.h) with 4 consecutive elements
// of each column per step. Signed A and unsigned B are shifted by 128 first, which the zero point
// corrects. Sums are exact modulo 2^32, so any order gives the same. Rows of A and columns of B
// beyond the matrix are never read as results.
#pragma once

#include <cstdint>

#include "kernels/tile/tile.h"

namespace halftone {

inline constexpr std::int64_t kBytesPerStep = 4;

struct ByteTileArgs {
  int rows = 0;     // 1 to kTileRows
  int columns = 0;  // 1 to kTileColumns; up to 16 the right half may be left as it is
  std::int64_t steps = 0;
  const std::uint8_t* a = nullptr;
  std::int64_t lda = 0;  // bytes between rows of A
  const std::int8_t* b = nullptr;
  std::int32_t* c = nullptr;  // kTileElements, rows of kTileColumns
  bool accumulate = false;    // add to C instead of overwriting it
};

using ByteTile = void (*)(const ByteTileArgs& args) noexcept;

// Tile on vpdpbusd, 64 products per instruction. Requires kIsaAvx512Vnni; where the compiler cannot
// build for it, it does nothing and must not be called.
void ByteTileVnni(const ByteTileArgs& args) noexcept;

// Tile with 16-bit operands and 32-bit sums (no saturating instruction): AVX2, AVX-512 or any CPU.
void ByteTileHighway(const ByteTileArgs& args) noexcept;

}  // namespace halftone
