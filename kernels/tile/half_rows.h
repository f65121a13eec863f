// Vectorised conversion of rows between float32, float16 and bfloat16.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"
#include "src/ir/half.h"

namespace halftone {

// Rows of `count` contiguous elements. Pitches are the bytes between rows.
struct RowBlock {
  DType from = DType::kFloat32;
  const void* source = nullptr;
  std::int64_t source_pitch = 0;
  void* target = nullptr;  // float, Float16 or BFloat16
  std::int64_t target_pitch = 0;
  std::int64_t rows = 1;
  std::int64_t count = 0;
};

// Widens to float32, exactly.
void WidenRows(const RowBlock& block) noexcept;
void WidenRow(DType from, const void* source, float* target, std::int64_t count) noexcept;

// Narrows float32 or float16 to bfloat16 for the dot units (tile_pairs.h), rounded to nearest even;
// copies rows of bfloat16. On CPUs with dot units, which take subnormal operands as zero, subnormal
// results may already be zero.
void NarrowRowsToBFloat16(const RowBlock& block) noexcept;
void NarrowRowToBFloat16(DType from, const void* source, BFloat16* target,
                         std::int64_t count) noexcept;

// Narrows to `to`, the dtype of pairs (TileKernel::pair_dtype()): to bfloat16 as
// NarrowRowsToBFloat16(), or from float32 or float16 to float16, rounded to nearest even.
void NarrowRowsTo(DType to, const RowBlock& block) noexcept;
void NarrowRowTo(DType to, DType from, const void* source, void* target,
                 std::int64_t count) noexcept;

}  // namespace halftone
