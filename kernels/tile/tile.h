// Call of a register tile, the inner kernel of matrix products and convolutions: C[rows x columns]
// (+)= A[rows x steps] * B. tile_kernel.h lists the tiles.
//
// A is row-major in 32-bit words, one word a step: a float, or a pair of 16-bit elements that are
// neighbours along k. (A step of a tile of parts takes a chunk of words, float_parts.h.) B is
// packed in panels as wide as the tile, one row of the panel a step. Rows of A and columns of B
// beyond the matrix are never read as results, so their content does not matter.
//
// Each element of C is summed in fp32 (with TileKernel::float16_sums, first in float16). The order
// depends only on the numbers of rows, columns and steps of its tile, never on the split between
// threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/tile/half_rows.h"

namespace halftone {

// Shape of tiles in vector registers: 12 x 2 vectors of 16 floats and 3 operands fill 27 of 32
// AVX-512 registers; narrower vectors pass over the tile in parts. Code for any tile reads its
// shape (TileKernel::rows).
inline constexpr int kTileRows = 12;
inline constexpr int kTileColumns = 32;
inline constexpr int kTileElements = kTileRows * kTileColumns;

// Default of TileKernel::block_steps, the steps per block of k: a panel of B is then 64 KiB, and 6
// panels stay in an L2 of 1 MiB while the rows of A pass by. Blocks also shorten accumulations, and
// so their rounding error.
inline constexpr std::int64_t kBlockSteps = 512;
inline constexpr std::int64_t kBlockPanels = 6;

// Prefetch distance of B in steps, 4 or 8 KiB. Relative times with prefetch, on one thread of a Zen
// 5 (`gemm/` and `gemv_cold/` of halftone_bench). Weights from memory, 4 to 16 rows: 0.68 to 0.79
// in float32, 0.52 to 0.83 in 16 bits. Weights from memory, one row: 0.76 to 0.94 in 16 bits, 0.94
// and 1.09 in float32, which therefore does not prefetch. Weights in the cache, at least 49 rows,
// all formats: 0.74 to 1.05, median 0.98 of 40 benches.
inline constexpr std::int64_t kStepsAhead = 64;
inline constexpr std::int64_t kLineBytes = 64;

struct TileArgs {
  int rows = 0;  // 1 to TileKernel::rows
  // 1 to TileKernel::columns; a tile may leave columns of C beyond them unchanged. A call with one
  // row may have more columns: it continues through the next panels, at most TileKernel::rows of
  // them, whose columns are consecutive in C.
  int columns = 0;
  std::int64_t steps = 0;
  const void* a = nullptr;
  std::int64_t lda = 0;  // words between rows of A
  const void* b = nullptr;
  std::int64_t panel_stride = 0;  // bytes between panels of B
  // The rows that are read next, as many as the tile has. A tile of all rows may prefetch them into
  // the L2. Null: none.
  const void* ahead = nullptr;
  std::int64_t ahead_pitch = 0;    // bytes between the rows at `ahead`
  std::int64_t ahead_element = 4;  // bytes of a row at `ahead` for each step
  // The next tile of A, with all rows and at least kLeastAhead elements a row. A tile of all rows
  // converts it to floats during the call if TileKernel::converts_ahead() returns true. Null: none.
  const RowBlock* next = nullptr;
  float* c = nullptr;  // rows x columns, room for a whole tile
  // Floats between rows of C: TileKernel::columns. A `strided` tile takes any stride when the call
  // has all columns.
  std::int64_t c_stride = 0;
  bool accumulate = false;  // add to C instead of overwriting it
};

using TileFunction = void (*)(const TileArgs& args) noexcept;

inline constexpr std::int64_t kLeastAhead = 16;

// Blocks of k of at most `most` steps, as even as whole groups of `group` steps allow.
struct StepBlocks {
  std::int64_t steps = 0;
  std::int64_t most = kBlockSteps;  // a multiple of `group`
  std::int64_t group = 1;           // every block but the last is a multiple of it

  [[nodiscard]] std::int64_t count() const { return steps <= most ? 1 : (steps + most - 1) / most; }

  [[nodiscard]] std::int64_t begin(std::int64_t block) const {
    const std::int64_t even = steps * block / count();
    return std::min(steps, (even + group - 1) / group * group);
  }

  [[nodiscard]] std::int64_t size(std::int64_t block) const {
    return begin(block + 1) - begin(block);
  }
};

// Row stride that spreads the rows of a tile over the sets of a 64-set L1 cache.
constexpr std::int64_t TileRowStride(std::int64_t steps) {
  return steps % 128 == 0 ? steps + 16 : steps;
}

}  // namespace halftone
