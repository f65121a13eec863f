// Inner loops of few_rows.h.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Largest number of rows of A.
inline constexpr std::int64_t kFewRows = 4;

// sums[i * sums_stride + j] = sum over k of a[i * k_count + k] B[k, j], in fp32.
struct FewRowsBlock {
  const float* a = nullptr;  // contiguous rows
  const void* b = nullptr;   // begins at the first column
  std::int64_t rows = 0;     // up to kFewRows
  std::int64_t columns = 0;
  std::int64_t k = 0;
  std::int64_t b_stride = 0;  // between neighbours along k; between columns if `by_column`
  float* sums = nullptr;
  std::int64_t sums_stride = 0;  // from row to row
};

using FewRowsLoop = void (*)(const FewRowsBlock& block);

// The loop for this CPU's best instruction set; float32, float16 and bfloat16. `by_column`: the
// columns of B are contiguous; else its rows are.
FewRowsLoop FindFewRowsLoop(DType dtype, bool by_column);

}  // namespace halftone
