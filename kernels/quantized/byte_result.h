// From the int32 sums of a tile to results: zero points made good, then rounded once or stored.
#pragma once

#include <cstdint>

#include "kernels/tile/tile.h"
#include "src/ir/dtype.h"

namespace halftone {

// Arrays of columns are padded to whole tiles.
struct ByteResult {
  void* y = nullptr;
  DType dtype = DType::kInt32;  // int32, int8 or uint8
  std::int64_t sums_stride = kTileColumns;
  std::int64_t row_stride = 0;  // of y, elements
  int rows = 0;
  int columns = 0;
  // Of each column: bias - za (sum_k b - K zb).
  const std::int32_t* offset = nullptr;
  // zb of each column, null: 0; with it the sums of the rows of A.
  const std::int32_t* b_zero = nullptr;
  const std::int32_t* row_sums = nullptr;
  const float* multiplier = nullptr;  // of each column; for int8 and uint8
  std::int32_t y_zero = 0;
};

// sums: rows, and a vector behind the last. Modulo 2^32: sum + offset - zb row_sum.
void StoreByteTile(const std::int32_t* sums, const ByteResult& result) noexcept;

}  // namespace halftone
