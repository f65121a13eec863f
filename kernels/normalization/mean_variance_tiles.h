// Vector loops of MeanVarianceNormalization.
#pragma once

#include <cstdint>
#include <span>

#include "src/ir/dtype.h"

namespace halftone {

// Spans of `count` neighbouring elements. `together` normalises all of them as one group;
// `by_column` takes the elements at one index of every span as a group. The elements of a group
// share mean and variance.
struct MeanVarianceTile {
  const void* x = nullptr;
  void* y = nullptr;
  std::span<const std::int64_t> spans;  // begins of the spans in x and y, in elements
  std::int64_t count = 1;
};

struct MeanVarianceLoops {
  void (*together)(const MeanVarianceTile& tile) = nullptr;
  void (*by_column)(const MeanVarianceTile& tile) = nullptr;
};

// The loops for float32, float16 and bfloat16.
MeanVarianceLoops FindMeanVarianceLoops(DType dtype);

}  // namespace halftone
