// Results from the int32 sums of a tile: corrected for zero points, then either stored, or
// multiplied, passed through the epilogue and rounded once.
#pragma once

#include <cstdint>

#include "kernels/quantized/byte_epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// Arrays per column are padded to a multiple of this, because vectors read them.
inline constexpr std::int64_t kByteResultPadding = 16;

struct ByteResult {
  void* y = nullptr;
  DType dtype = DType::kInt32;   // int32, int8, uint8 or float32
  std::int64_t sums_stride = 0;  // of the sums, elements
  std::int64_t row_stride = 0;   // of y, elements
  int rows = 0;
  int columns = 0;
  // Per column: bias - za (sum_k b - K zb).
  const std::int32_t* offset = nullptr;
  // zb per column, null: 0; used with the sums of the rows of A.
  const std::int32_t* b_zero = nullptr;
  const std::int32_t* row_sums = nullptr;
  const float* multiplier = nullptr;  // per column; unused for int32 results
  std::int32_t y_zero = 0;
  // Its residual operand begins at y and has the row stride of y.
  MaybeByteEpilogue epilogue = {};
};

// `sums`: the rows, with a readable vector behind the last. The int32 result is sum + offset - zb
// row_sum modulo 2^32.
void StoreByteTile(const std::int32_t* sums, const ByteResult& result) noexcept;

}  // namespace halftone
