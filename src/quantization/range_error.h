// Error of quantising a tensor to a grid, computed from its histogram alone.
#pragma once

#include <cstdint>

#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// The numbers step * k for the integers k from `first` to `last`; step > 0, first <= 0 <= last.
struct QuantizationGrid {
  double step = 1;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Grid of 256 numbers over `range`, which contains 0. The step is (high - low) / 255; the ends are
// moved by up to half a step, so that 0 is on the grid. The step of {0, 0} is 1.
QuantizationGrid AsymmetricGrid(ValueRange range);
// Grid of 255 numbers from -magnitude to magnitude. The step of a magnitude of 0 is 1.
QuantizationGrid SymmetricGrid(double magnitude);
// Grid of a uint8 tensor with this scale and zero point.
QuantizationGrid GridOf(const ActivationScale& scale);

// Mean squared error over all values, in two parts.
struct RangeError {
  double rounding = 0;  // part of the values between the ends of the grid
  double clipping = 0;  // part of the values beyond the ends

  [[nodiscard]] double total() const { return rounding + clipping; }
};

// Error of the values of the histogram on the grid; {0, 0} for an empty histogram. The values of a
// bin count as evenly spread over it, as in AMCT's HFMG; for such values the result is exact,
// whether steps are wider or narrower than bins. Zeros have no error. If low = high, all values are
// `low`.
RangeError ErrorOnGrid(const TensorHistogram& histogram, const QuantizationGrid& grid);

}  // namespace halftone
