// The register tile under matrix products and convolutions: C[12 x 32] (+)= A[12 x steps] * B.
//
// A is row-major in 32-bit words, one word a step: a float, or a pair of bfloat16 that follow each
// other along k. B is packed in panels of 32 columns, one row of the panel a step. Rows of A and
// columns of B beyond the matrix are never read as results, so their content does not matter.
//
// Each element of C is summed in fp32 in an order that depends on the number of rows, columns and
// steps of its tile only, never on the split between threads.
#pragma once

#include <cstdint>

#include "kernels/gemm/half_rows.h"
#include "src/ir/dtype.h"

namespace halftone {

// 12 x 2 vectors of 16 floats and 3 operands fill 27 of 32 AVX-512 registers; narrower vectors go
// over the tile in parts.
inline constexpr int kTileRows = 12;
inline constexpr int kTileColumns = 32;
inline constexpr int kTileElements = kTileRows * kTileColumns;

// Steps per block of k: a panel of B is then 64 KiB, and 6 panels stay in an L2 of 1 MiB while the
// rows of A pass by. Blocks also shorten the chains of roundings.
inline constexpr std::int64_t kBlockSteps = 512;
inline constexpr std::int64_t kBlockPanels = 6;

// Tiles ask for B so many steps ahead, 4 or 8 KiB. Time of asking by that of not asking, Zen 5, one
// thread, `gemm/` and `gemv_cold/` of halftone_bench: weights from memory, 4 to 16 rows, float32
// 0.68 to 0.79, 16 bits 0.52 to 0.83; one row of 16 bits 0.76 to 0.94, of float32 0.94 and 1.09 (so
// it does not ask); weights in the cache, 49 rows and more, 40 rows of the bench in float32, 16
// bits and on the dot units 0.74 to 1.05, median 0.98.
inline constexpr std::int64_t kStepsAhead = 64;
inline constexpr std::int64_t kLineBytes = 64;

struct TileArgs {
  int rows = 0;  // 1 to kTileRows
  // 1 to kTileColumns; up to 16 only the left half is computed. One row may go on through the
  // panels behind: up to kTileElements columns, which then stand one after the other in C.
  int columns = 0;
  std::int64_t steps = 0;
  const void* a = nullptr;
  std::int64_t lda = 0;  // words between rows of A
  const void* b = nullptr;
  std::int64_t panel_stride = 0;  // bytes between panels of B
  // The rows that are read next, kTileRows of them: a tile of all rows fetches them into the L2
  // meanwhile. Null: nothing.
  const void* ahead = nullptr;
  std::int64_t ahead_pitch = 0;    // bytes between its rows
  std::int64_t ahead_element = 4;  // bytes in a row for each step
  // The next tile of A, kTileRows rows of kLeastAhead elements or more, to be converted to floats
  // meanwhile: for a tile of all rows, where ConvertsAhead(). Null: nothing.
  const RowBlock* next = nullptr;
  float* c = nullptr;  // rows x columns, room for kTileElements
  // Floats between rows of C; others than kTileColumns in TileFormat::kFloat only, where columns
  // are a multiple of kTileColumns.
  std::int64_t c_stride = kTileColumns;
  bool accumulate = false;  // add to C instead of overwriting it
};

using TileFunction = void (*)(const TileArgs& args) noexcept;

// How a panel of B is stored, and with it what a step is.
enum class TileFormat : std::uint8_t {
  kFloat,     // float, FMA
  kFloat16,   // binary16, widened in the inner loop (exact), FMA
  kBFloat16,  // bfloat16, widened in the inner loop (exact), FMA
  kPairs,     // pairs of bfloat16 along k; both operands; needs kIsaAvx512Bf16
};

constexpr std::int64_t ElementsPerStep(TileFormat format) {
  return format == TileFormat::kPairs ? 2 : 1;
}

constexpr std::int64_t BytesPerColumnStep(TileFormat format) {
  return format == TileFormat::kFloat || format == TileFormat::kPairs ? 4 : 2;
}

TileFunction TileFunctionOf(TileFormat format);

// Whether tiles of `format` heed TileArgs::next: those that multiply floats and have all rows in
// registers. Loads, conversions and stores fill what multiplications leave of each cycle there; dot
// products took up to 1.1 times as long with them (Zen 5).
bool ConvertsAhead(TileFormat format);
inline constexpr std::int64_t kLeastAhead = 16;

// The blocks of k: as even as whole steps allow.
struct StepBlocks {
  std::int64_t steps = 0;

  [[nodiscard]] std::int64_t count() const {
    return steps <= kBlockSteps ? 1 : (steps + kBlockSteps - 1) / kBlockSteps;
  }

  [[nodiscard]] std::int64_t begin(std::int64_t block) const { return steps * block / count(); }

  [[nodiscard]] std::int64_t size(std::int64_t block) const {
    return begin(block + 1) - begin(block);
  }
};

// Row distance that keeps 12 rows from falling into the same few sets of a 64-set L1 cache.
constexpr std::int64_t TileRowStride(std::int64_t steps) {
  return steps % 128 == 0 ? steps + 16 : steps;
}

}  // namespace halftone
