// Rows of A whose elements are not contiguous, such as those of a transposed matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

struct StridedRows {
  DType dtype = DType::kFloat32;    // float32, float16 or bfloat16
  const std::byte* data = nullptr;  // first element of the first row
  std::int64_t row_stride = 0;      // in elements
  std::int64_t step_stride = 0;     // between neighbours in a row, in elements
  int rows = 0;
  std::int64_t count = 0;  // of elements in a row
};

// Writes the rows, each contiguous, to `target`, `target_stride` bytes apart: as bfloat16 with one
// rounding, as float16 (of float16 rows only), or exactly as float32.
void CopyStridedRows(const StridedRows& rows, DType to, std::int64_t target_stride,
                     std::byte* target) noexcept;

}  // namespace halftone
