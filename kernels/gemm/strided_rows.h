// Rows of A whose elements are not contiguous, such as those of a transposed matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Strides are in elements.
struct StridedRows {
  DType dtype = DType::kFloat32;    // float32, float16 or bfloat16
  const std::byte* data = nullptr;  // first element of the first row
  std::int64_t row_stride = 0;      // between rows
  std::int64_t step_stride = 0;     // between neighbours in a row
  int rows = 0;
  std::int64_t count = 0;  // elements of a row
};

// Copies the rows to `target`, each contiguous, `target_stride` bytes apart. `to` is float32
// (exact), bfloat16 (rounded once) or float16 (only from float16).
void CopyStridedRows(const StridedRows& rows, DType to, std::int64_t target_stride,
                     std::byte* target) noexcept;

}  // namespace halftone
