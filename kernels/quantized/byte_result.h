// Results from the int32 sums of a tile. The sums are corrected for zero points; int32 results are
// stored as such, others are multiplied, passed through the epilogue and rounded once.
#pragma once

#include <cstdint>

#include "kernels/quantized/byte_epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// Arrays with one element per column are padded to a multiple of this, because vectors read them.
inline constexpr std::int64_t kByteResultPadding = 16;

struct ByteResult {
  void* y = nullptr;
  DType dtype = DType::kInt32;   // int32, int8, uint8 or float32
  std::int64_t sums_stride = 0;  // elements between rows of the sums
  std::int64_t row_stride = 0;   // elements between rows of y
  int rows = 0;
  int columns = 0;
  // bias - za (sum_k b - K zb) per column, with za, zb, b of quantized.h.
  const std::int32_t* offset = nullptr;
  // zb per column; null: all 0. Otherwise `row_sums` has the sum of each row of A.
  const std::int32_t* b_zero = nullptr;
  const std::int32_t* row_sums = nullptr;
  const float* multiplier = nullptr;  // per column; unused for int32 results
  std::int32_t y_zero = 0;
  // The residual begins at y and has the row stride of y.
  MaybeByteEpilogue epilogue = {};
};

// Stores the rows of a tile. The int32 result is sum + offset - zb * row_sum, modulo 2^32. A vector
// behind the last row of `sums` must be readable.
void StoreByteTile(const std::int32_t* sums, const ByteResult& result) noexcept;

}  // namespace halftone
