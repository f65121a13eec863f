#include "src/quantization/range_error.h"

#include <algorithm>
#include <cmath>

namespace halftone {
namespace {

// The integral of (t - rint(t))^2 from 0 to t: 1/12 for each whole cell around an integer.
double RoundingIntegral(double t) {
  const double cell = std::floor(t + 0.5);
  const double rest = t - cell;
  return cell / 12 + rest * rest * rest / 3;
}

// Sums over a bin from a to b in units of the step; divided by b - a they are means.
struct BinError {
  double rounding = 0;
  double clipping = 0;
};

double Cube(double x) {
  return x * x * x;
}

BinError ErrorOfBin(double a, double b, double first, double last) {
  BinError error;
  const double inner_a = std::clamp(a, first, last);
  const double inner_b = std::clamp(b, first, last);
  error.rounding = RoundingIntegral(inner_b) - RoundingIntegral(inner_a);
  if (a < first) {
    error.clipping += (Cube(first - a) - Cube(first - std::min(b, first))) / 3;
  }
  if (b > last) {
    error.clipping += (Cube(b - last) - Cube(std::max(a, last) - last)) / 3;
  }
  return error;
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
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    const std::uint64_t count = histogram.counts[bin];
    const std::uint64_t exact = bin == zero_bin ? std::min(count, histogram.zeros) : 0;
    if (count == exact) {
      continue;
    }
    const double start = low + static_cast<double>(bin) * width;
    const BinError of_bin = ErrorOfBin(start, start + width, first, last);
    const double weight = static_cast<double>(count - exact) / width;
    error.rounding += weight * of_bin.rounding;
    error.clipping += weight * of_bin.clipping;
  }
  const double scale = grid.step * grid.step / total;
  return {error.rounding * scale, error.clipping * scale};
}

}  // namespace halftone
