// State that packed products (packed.cc) share with their loops (packed_loops.cc).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/gemm/matrix_call.h"
#include "kernels/tile/pack_panels.h"
#include "kernels/tile/panel_block.h"
#include "kernels/tile/tile_kernel.h"
#include "src/ir/tensor.h"

namespace halftone {

// Row tiles per block of panels before the next block of k: their sums stay in the L2.
inline constexpr std::int64_t kBlockTiles = 20;

struct PackedState : ConstantsState {
  explicit PackedState(const KernelQuery& query)
      : ConstantsState(query), call(MatrixCallOf(query)) {}

  MatrixCall call;
  PanelLayout layout;  // of one matrix B
  StepBlocks blocks;
  Tensor packed_b;  // when B is constant: all distinct matrices
  bool b_constant = false;
  std::vector<float> bias;  // beta * C when C is constant
  bool bias_constant = false;
  int max_chunks = 1;

  // Whether the sums are the result unchanged, so that the tile may write them there. Not with
  // several blocks of k and rows a multiple of 2 KiB apart: such rows share too few cache sets
  // while they wait.
  [[nodiscard]] bool sums_are_results() const {
    const bool wait_well = blocks.count() == 1 || call.n * 4 % 2048 != 0;
    return layout.tile->strided && call.result_dtype == DType::kFloat32 && call.alpha == 1.0F &&
           !call.has_bias && call.epilogue.IsEmpty() && wait_well;
  }

  static constexpr std::int64_t RoundUp(std::int64_t bytes) {
    constexpr std::int64_t kLine = 64;
    return (bytes + kLine - 1) / kLine * kLine;
  }

  // Number of distinct matrices B; 0 without batches.
  [[nodiscard]] std::int64_t matrices() const {
    return call.b_shared ? std::min<std::int64_t>(1, call.batches()) : call.batches();
  }

  [[nodiscard]] std::int64_t row_tiles() const { return layout.tile->row_tiles(call.m); }

  // Panels per call of the tile: a single row passes over several, because a call takes as long as
  // a panel of a hundred steps.
  [[nodiscard]] std::int64_t panels_at_once() const {
    return call.m == 1 && !reads_panels_whole() ? layout.tile->rows : 1;
  }

  // Whether all blocks of a panel come before the next panel: few rows wait for B, and memory is
  // fastest in long streams. Time relative to several panels for each block, Zen 5 (halftone_bench,
  // medians of 5 pairs): weights from memory, 4 and 8 rows, float32 0.83 and 0.78, widened 16 bits
  // 0.80 to 0.87, dot units 0.95 to 1.02; in the cache 0.94 to 1.00. One row, widened 16 bits 0.79
  // to 0.92 (once 1.02), in the cache 1.00 to 1.06; other formats gain nothing and lose up to 1.16
  // there.
  [[nodiscard]] bool reads_panels_whole() const {
    return blocks.count() > 1 && call.m <= layout.tile->rows &&
           (call.m > 1 || layout.tile->widens());
  }

  // Whether the converted rows of A of all blocks then fit side by side, so that they are converted
  // once for all panels.
  [[nodiscard]] bool keeps_rows() const {
    return reads_panels_whole() &&
           kept_rows_at(blocks.count()) <= kTilesOfA * layout.tile->a_bytes();
  }

  // Offset in bytes of the converted rows of `block`: rows take TileRowStride(), at most 16 words
  // more than their steps.
  [[nodiscard]] std::int64_t kept_rows_at(std::int64_t block) const {
    return call.m * (blocks.begin(block) + 16 * block) * 4;
  }

  // Bytes of one step in a row of A as stored.
  [[nodiscard]] std::int64_t step_bytes_of_a() const {
    return layout.tile->step_elements() * static_cast<std::int64_t>(SizeOf(call.dtype));
  }

  // Tiles of A per chunk: where they are converted, one while another is multiplied.
  static constexpr std::int64_t kTilesOfA = 2;

  // Offset in a chunk's scratch, which holds tiles of A, sums and widened panels.
  [[nodiscard]] std::int64_t panel_block_offset() const {
    const std::int64_t sums = blocks.count() == 1 ? 1 : kBlockTiles * kBlockPanels;
    return kTilesOfA * layout.tile->a_bytes() +
           sums * layout.tile->elements() * static_cast<std::int64_t>(sizeof(float));
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    return panel_block_offset() + PanelBlockBytes(layout, blocks);
  }

  [[nodiscard]] std::int64_t bias_bytes() const {
    return call.has_bias && !bias_constant
               ? RoundUp(call.bias_elements * static_cast<std::int64_t>(sizeof(float)))
               : 0;
  }

  [[nodiscard]] std::int64_t b_bytes() const {
    return b_constant ? 0 : RoundUp(layout.size_bytes() * matrices());
  }
};

// Arguments of one run().
struct PackedRun {
  const PackedState& state;
  const std::byte* a;
  const std::byte* b;  // packed
  const float* bias;
  const void* residual;
  std::byte* y;
  std::byte* chunk_scratch;
  bool sums_are_results;
};

// Splits the batch into panels or row tiles, whichever are more, and these between threads.
void MultiplyAll(const PackedRun& run) noexcept;

}  // namespace halftone
