// The error that quantising a tensor to a grid makes, from its histogram alone.
#pragma once

#include <cstdint>

#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// The numbers step * k for k from first to last, first <= 0 <= last; step above 0.
struct QuantizationGrid {
  double step = 1;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// 256 numbers over `range`, which contains 0: step (high - low) / 255, ends moved by up to half a
// step so that 0 is one of them.
QuantizationGrid AsymmetricGrid(ValueRange range);
// 255 numbers from -magnitude to magnitude.
QuantizationGrid SymmetricGrid(double magnitude);
// The grid that a uint8 tensor has.
QuantizationGrid GridOf(const ActivationScale& scale);

// Mean squared errors: of values between the ends of a grid, and of those beyond them.
struct RangeError {
  double rounding = 0;
  double clipping = 0;

  [[nodiscard]] double total() const { return rounding + clipping; }
};

// The values of a bin count as evenly spread over it (as AMCT's HFMG does), except zeros, which
// have no error: exact in closed form for such data, whether steps are wider or narrower than bins.
// {0, 0} for an empty histogram; one of a single value counts it as that value.
RangeError ErrorOnGrid(const TensorHistogram& histogram, const QuantizationGrid& grid);

}  // namespace halftone
