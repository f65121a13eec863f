// A row of a normalisation. This header includes nothing else, because files compiled for other
// CPUs include it.
#pragma once

#include <cstdint>

namespace halftone {

// A row of `length` elements normalised to mean 0 and variance 1, then times scale plus bias.
struct NormalizedRow {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t length = 0;
  const void* scale = nullptr;  // `length` elements of the dtype of x; null: scale_value for all
  const void* bias = nullptr;   // as `scale`, with bias_value
  float scale_value = 1;
  float bias_value = 0;
  float epsilon = 1e-5F;
};

using NormalizeRow = void (*)(const NormalizedRow& row);

}  // namespace halftone
