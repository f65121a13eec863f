// The inner loops of few_rows.h.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Of A at most.
inline constexpr std::int64_t kFewRows = 4;

// sums[i * sums_stride + j] = sum over k of a[i * k_count + k] B[k, j], in fp32.
struct FewRowsBlock {
  const float* a = nullptr;  // rows behind each other
  const void* b = nullptr;   // of the first column
  std::int64_t rows = 0;     // up to kFewRows
  std::int64_t columns = 0;
  std::int64_t k = 0;
  std::int64_t b_stride = 0;  // elements from k to k, or from column to column
  float* sums = nullptr;
  std::int64_t sums_stride = 0;  // from row to row
};

using FewRowsLoop = void (*)(const FewRowsBlock& block);

// For float32, float16 and bfloat16, by this CPU's best instruction set. `by_column`: the elements
// of a column of B lie side by side, else those of a row.
FewRowsLoop FindFewRowsLoop(DType dtype, bool by_column);

}  // namespace halftone
