// Call of a register tile, the inner kernel of matrix products and convolutions: C[rows x columns]
// (+)= A[rows x steps] * B. tile_kernel.h lists the tiles.
//
// A is row-major in 32-bit words. A step is one word of a row: a float, or a pair of 16-bit
// elements that are neighbours along k. (With a tile of parts, a step is a chunk of words:
// float_parts.h.) B is packed in panels as wide as the tile, one row of the panel for each step. A
// tile may compute results from rows of A and columns of B beyond the matrix. Nobody reads these
// results, so such operands may have any content.
//
// Each element of C is summed in float32 (with TileKernel::float16_sums, first in float16). The
// order depends only on the numbers of rows, columns and steps of its tile, never on the split
// between threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/tile/half_rows.h"

namespace halftone {

// Shape of tiles in vector registers: 12 x 2 vectors of 16 floats and 3 operands fill 27 of 32
// AVX-512 registers; narrower vectors pass over the tile in parts. Code that serves any tile reads
// TileKernel::rows and columns instead.
inline constexpr int kTileRows = 12;
inline constexpr int kTileColumns = 32;
inline constexpr int kTileElements = kTileRows * kTileColumns;

// Default of TileKernel::block_steps, the steps per block of k. A panel of B is then 64 KiB, and 6
// panels stay in an L2 of 1 MiB while the rows of A pass by. Blocks also shorten accumulations and
// so reduce their rounding error.
inline constexpr std::int64_t kBlockSteps = 512;
inline constexpr std::int64_t kBlockPanels = 6;

// Prefetch distance of B in steps; 64 steps are 4 or 8 KiB. Times relative to those without
// prefetch, on one thread of a Zen 5 (`gemm/` and `gemv_cold/` of halftone_bench). Weights from
// memory, 4 to 16 rows: 0.68 to 0.79 in float32, 0.52 to 0.83 in 16 bits. Weights from memory, one
// row: 0.76 to 0.94 in 16 bits, 0.94 and 1.09 in float32, which therefore does not prefetch.
// Weights in the cache, at least 49 rows, all formats: 0.74 to 1.05, median 0.98 of 40 benches.
inline constexpr std::int64_t kStepsAhead = 64;
inline constexpr std::int64_t kLineBytes = 64;

struct TileArgs {
  int rows = 0;  // 1 to TileKernel::rows
  // 1 to TileKernel::columns; a tile may leave columns of C beyond them unchanged. A call with one
  // row may have more columns: it continues through the next panels, at most TileKernel::rows
  // panels in all, and their columns are consecutive in C.
  int columns = 0;
  std::int64_t steps = 0;
  const void* a = nullptr;
  std::int64_t lda = 0;  // words between rows of A
  const void* b = nullptr;
  std::int64_t panel_stride = 0;  // bytes between panels of B
  // Begin of the TileKernel::rows rows of A that a later call reads. A call with all rows may
  // prefetch them into the L2. Null: none.
  const void* ahead = nullptr;
  std::int64_t ahead_pitch = 0;    // bytes between the rows at `ahead`
  std::int64_t ahead_element = 4;  // bytes that one step takes in a row at `ahead`
  // The next tile of A, with all rows and at least kLeastAhead elements a row. A call with all rows
  // converts it to floats if TileKernel::converts_ahead() returns true. Null: none.
  const RowBlock* next = nullptr;
  float* c = nullptr;  // rows x columns, with room for a whole tile
  // Floats between rows of C: TileKernel::columns. A call with all columns may have any stride if
  // TileKernel::strided is true.
  std::int64_t c_stride = 0;
  bool accumulate = false;  // add to C instead of overwriting it
};

using TileFunction = void (*)(const TileArgs& args) noexcept;

inline constexpr std::int64_t kLeastAhead = 16;

// Split of `steps` steps along k into blocks of at most `most` steps. The blocks are as even as
// whole groups of `group` steps allow.
struct StepBlocks {
  std::int64_t steps = 0;
  std::int64_t most = kBlockSteps;  // a multiple of `group`
  std::int64_t group = 1;           // every block but the last has a multiple of this many steps

  [[nodiscard]] std::int64_t count() const { return steps <= most ? 1 : (steps + most - 1) / most; }

  [[nodiscard]] std::int64_t begin(std::int64_t block) const {
    const std::int64_t even = steps * block / count();
    return std::min(steps, (even + group - 1) / group * group);
  }

  [[nodiscard]] std::int64_t size(std::int64_t block) const {
    return begin(block + 1) - begin(block);
  }
};

// Words between rows of A that spread the rows of a tile over the sets of a 64-set L1 cache.
constexpr std::int64_t TileRowStride(std::int64_t steps) {
  return steps % 128 == 0 ? steps + 16 : steps;
}

}  // namespace halftone
