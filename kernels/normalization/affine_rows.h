// Inner loops of Batch- and GroupNormalization: scale and offset of a channel, then a clamp.
#pragma once

#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// One channel: y[i] = clamp(x[i] * factor + term) over `count` contiguous elements.
struct AffinePlane {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t count = 0;
  float factor = 1;
  float term = 0;
  ActivationRange range;
};

// All channels of `pixels` contiguous pixels: y[p, c] = clamp(x[p, c] * factors[c] + terms[c]).
struct AffinePixels {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t pixels = 0;
  std::int64_t channels = 0;
  const float* factors = nullptr;
  const float* terms = nullptr;
  ActivationRange range;
};

struct AffineLoops {
  void (*plane)(const AffinePlane& call) = nullptr;
  void (*pixels)(const AffinePixels& call) = nullptr;
};

// Loops for float32, float16 and bfloat16: a multiply-add in float32, the clamp, then one rounding
// to a 16-bit dtype.
AffineLoops FindAffineLoops(DType dtype);

}  // namespace halftone
