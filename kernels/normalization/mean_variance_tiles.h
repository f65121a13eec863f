// Vector loops of MeanVarianceNormalization.
#pragma once

#include <cstdint>
#include <span>

#include "src/ir/dtype.h"

namespace halftone {

// Spans of `count` neighbouring elements. All spans form one group (`together`), or each column is
// a group (`by_column`).
struct MeanVarianceTile {
  const void* x = nullptr;
  void* y = nullptr;
  std::span<const std::int64_t> spans;  // begins in x and y, in elements
  std::int64_t count = 1;
};

struct MeanVarianceLoops {
  void (*together)(const MeanVarianceTile& tile) = nullptr;
  void (*by_column)(const MeanVarianceTile& tile) = nullptr;
};

// The loops for float32, float16 and bfloat16.
MeanVarianceLoops FindMeanVarianceLoops(DType dtype);

}  // namespace halftone
