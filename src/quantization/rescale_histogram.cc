#include "src/quantization/rescale_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "src/base/error.h"

namespace halftone {

template <typename Real>
std::vector<Real> RescaledHistogram(std::span<const Real> source, Real low, Real high, Real new_low,
                                    Real new_high) {
  Check(low < high && new_low < new_high, "the ranges of a rescaled histogram are not empty");
  if (low == new_low && high == new_high) {
    return {source.begin(), source.end()};
  }
  const std::size_t bins = source.size();
  std::vector<Real> result(bins);
  const Real width = (high - low) / static_cast<Real>(bins);
  const Real new_width = (new_high - new_low) / static_cast<Real>(bins);
  const auto bin_at = [&](Real position) {
    return static_cast<std::size_t>(
        std::clamp(position, Real{0}, static_cast<Real>(bins == 0 ? 0 : bins - 1)));
  };
  for (std::size_t bin = 0; bin < bins; ++bin) {
    if (source[bin] == 0) {
      continue;
    }
    const Real start = low + static_cast<Real>(bin) * width;
    const Real stop = low + static_cast<Real>(bin + 1) * width;
    const std::size_t first = bin_at(std::floor((start - new_low) / new_width));
    const std::size_t last = bin_at(std::ceil((stop - new_low) / new_width));
    Real left = source[bin];
    for (std::size_t to = first; to <= last; ++to) {
      const Real new_start = new_low + static_cast<Real>(to) * new_width;
      const Real new_stop = new_low + static_cast<Real>(to + 1) * new_width;
      const Real overlap = (std::min(stop, new_stop) - std::max(start, new_start)) / width;
      const Real share =
          std::min(std::round(std::clamp(overlap, Real{0}, Real{1}) * source[bin]), left);
      result[to] += share;
      left -= share;
    }
  }
  return result;
}

template std::vector<float> RescaledHistogram<float>(std::span<const float>, float, float, float,
                                                     float);
template std::vector<double> RescaledHistogram<double>(std::span<const double>, double, double,
                                                       double, double);

}  // namespace halftone
