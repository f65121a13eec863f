#include "src/quantization/range_error.h"

#include <algorithm>
#include <cmath>

namespace halftone {
namespace {

// Integrals from 0 to x of the squared errors of rounding and of clipping to first..last, in units
// of the step. Their differences over a bin, divided by its width, are means.
struct ErrorIntegrals {
  double rounding = 0;
  double clipping = 0;
};

double Cube(double x) {
  return x * x * x;
}

ErrorIntegrals IntegralsTo(double x, double first, double last) {
  const double inside = std::clamp(x, first, last);
  // The nearest integer where |inside| < 2^51, without a call of the library: the spacing of
  // numbers around 1.5 * 2^52 is 1.
  constexpr double kSpacedByOne = 0x1.8p52;
  const double cell = (inside + kSpacedByOne) - kSpacedByOne;
  // 1/12 for each whole cell around an integer.
  return {cell * (1.0 / 12) + Cube(inside - cell) * (1.0 / 3), Cube(x - inside) * (1.0 / 3)};
}

RangeError ErrorOfValue(double value, const QuantizationGrid& grid) {
  const double t = value / grid.step;
  const double nearest =
      std::clamp(std::rint(t), static_cast<double>(grid.first), static_cast<double>(grid.last));
  const double error = (t - nearest) * (t - nearest) * grid.step * grid.step;
  const bool inside = t >= static_cast<double>(grid.first) && t <= static_cast<double>(grid.last);
  return inside ? RangeError{error, 0} : RangeError{0, error};
}

// A range without extent has the step 1, as ActivationScaleOf() has.
double StepOr1(double step) {
  return step > 0 ? step : 1;
}

}  // namespace

QuantizationGrid AsymmetricGrid(ValueRange range) {
  const double step = StepOr1((range.high - range.low) / 255);
  const double zero = std::clamp(std::rint(-range.low / step), 0.0, 255.0);
  const auto first = -static_cast<std::int64_t>(zero);
  return {step, first, 255 + first};
}

QuantizationGrid SymmetricGrid(double magnitude) {
  return {StepOr1(magnitude / 127), -127, 127};
}

QuantizationGrid GridOf(const ActivationScale& scale) {
  return {scale.scale, -std::int64_t{scale.zero_point}, 255 - std::int64_t{scale.zero_point}};
}

RangeError ErrorOnGrid(const TensorHistogram& histogram, const QuantizationGrid& grid) {
  const auto total = static_cast<double>(histogram.total());
  if (total == 0) {
    return {};
  }
  if (histogram.low == histogram.high) {
    return ErrorOfValue(histogram.low, grid);
  }
  const double width = histogram.width() / grid.step;
  const double low = histogram.low / grid.step;
  const auto first = static_cast<double>(grid.first);
  const auto last = static_cast<double>(grid.last);
  const std::size_t zero_bin = histogram.bin_of(0);
  RangeError error;
  ErrorIntegrals to_start = IntegralsTo(low, first, last);
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    const std::uint64_t count = histogram.counts[bin];
    const std::uint64_t exact = bin == zero_bin ? std::min(count, histogram.zeros) : 0;
    const double end = low + static_cast<double>(bin + 1) * width;
    const ErrorIntegrals to_end = IntegralsTo(end, first, last);
    const double weight = static_cast<double>(count - exact) / width;
    error.rounding += weight * (to_end.rounding - to_start.rounding);
    error.clipping += weight * (to_end.clipping - to_start.clipping);
    to_start = to_end;
  }
  const double scale = grid.step * grid.step / total;
  return {error.rounding * scale, error.clipping * scale};
}

}  // namespace halftone
