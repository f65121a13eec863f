// Row of a normalisation. This header includes no other header of halftone, because files compiled
// for other CPUs include it.
#pragma once

#include <cstdint>

namespace halftone {

// A row of `length` elements that is normalised to mean 0 and variance 1, then multiplied by the
// scale and added to the bias.
struct NormalizedRow {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t length = 0;
  const void* scale = nullptr;  // `length` elements of the dtype of x; null: scale_value for all
  const void* bias = nullptr;   // likewise, with bias_value
  float scale_value = 1;
  float bias_value = 0;
  float epsilon = 1e-5F;
};

using NormalizeRow = void (*)(const NormalizedRow& row);

}  // namespace halftone
