// Inner loops of few_rows.h.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Largest number of rows of A.
inline constexpr std::int64_t kFewRows = 4;

// sums[i * sums_stride + j] = sum over p < k of a[i * k + p] * B[p, j], in float32. Strides are in
// elements.
struct FewRowsBlock {
  const float* a = nullptr;  // contiguous rows
  const void* b = nullptr;   // first element of the first column
  std::int64_t rows = 0;     // up to kFewRows
  std::int64_t columns = 0;
  std::int64_t k = 0;
  std::int64_t b_stride = 0;  // between rows of B; between its columns if `by_column`
  float* sums = nullptr;
  std::int64_t sums_stride = 0;  // from row to row
};

using FewRowsLoop = void (*)(const FewRowsBlock& block);

// The loop of the best instruction set of this CPU, for a B of float32, float16 or bfloat16. With
// `by_column` the columns of B are contiguous, else its rows are.
FewRowsLoop FindFewRowsLoop(DType dtype, bool by_column);

}  // namespace halftone
