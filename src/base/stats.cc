#include "src/base/stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "src/base/error.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

// The median of `sample`, which it reorders: O(n) where sorting is O(n log n); the bootstrap calls
// it a thousand times.
double MedianInPlace(std::span<double> sample) {
  Check(!sample.empty(), "median of an empty sample");
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  if (sample.size() % 2 == 1) {
    return *middle;
  }
  return (*std::max_element(sample.begin(), middle) + *middle) / 2;
}

Interval PercentilesOf(std::span<const double> statistics, const BootstrapOptions& options) {
  const double tail = (1 - options.confidence) / 2;
  return {Quantile(statistics, tail), Quantile(statistics, 1 - tail)};
}

template <typename Statistic>
Interval BootstrapInterval(std::span<const double> sample, const BootstrapOptions& options,
                           const Statistic& statistic) {
  Check(!sample.empty(), "bootstrap of an empty sample");
  Rng rng(options.seed);
  std::vector<double> statistics(static_cast<std::size_t>(options.resamples));
  std::vector<double> resample(sample.size());
  for (double& value_of_resample : statistics) {
    for (double& value : resample) {
      value = sample[rng.Below(sample.size())];
    }
    value_of_resample = statistic(std::span<double>(resample));
  }
  return PercentilesOf(statistics, options);
}

}  // namespace

double Median(std::span<const double> sample) {
  std::vector<double> copy(sample.begin(), sample.end());
  return MedianInPlace(copy);
}

double Quantile(std::span<const double> sample, double p) {
  Check(!sample.empty(), "quantile of an empty sample");
  Check(p >= 0 && p <= 1, "quantile outside 0..1");
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

double MedianAbsoluteDeviation(std::span<const double> sample) {
  const double median = Median(sample);
  std::vector<double> deviations;
  deviations.reserve(sample.size());
  for (const double value : sample) {
    deviations.push_back(std::abs(value - median));
  }
  return MedianInPlace(deviations);
}

Interval BootstrapMedianInterval(std::span<const double> sample, const BootstrapOptions& options) {
  return BootstrapInterval(sample, options, MedianInPlace);
}

Interval BootstrapMeanInterval(std::span<const double> sample, const BootstrapOptions& options) {
  return BootstrapInterval(sample, options, [](std::span<const double> resample) {
    return std::accumulate(resample.begin(), resample.end(), 0.0) /
           static_cast<double>(resample.size());
  });
}

Interval NormalMeanInterval(std::span<const double> sample) {
  Check(sample.size() >= 2, "a standard error of fewer than two values");
  const double mean =
      std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
  double squared_off = 0;
  for (const double value : sample) {
    squared_off += (value - mean) * (value - mean);
  }
  return NormalMeanInterval(mean, squared_off, sample.size());
}

Interval NormalMeanInterval(double mean, double squared_off, std::size_t count) {
  Check(count >= 2, "a standard error of fewer than two values");
  constexpr double kQuantile = 1.959963984540054;  // of the normal distribution at 97.5 %
  const auto values = static_cast<double>(count);
  const double half_width = kQuantile * std::sqrt(squared_off / (values - 1) / values);
  return {mean - half_width, mean + half_width};
}

Interval BootstrapPairedMeansInterval(std::span<const double> first, std::span<const double> second,
                                      const std::function<double(double, double)>& statistic,
                                      const BootstrapOptions& options) {
  Check(!first.empty() && first.size() == second.size(), "bootstrap of samples that are no pairs");
  Rng rng(options.seed);
  const auto count = static_cast<double>(first.size());
  std::vector<double> statistics(static_cast<std::size_t>(options.resamples));
  for (double& value : statistics) {
    double first_sum = 0;
    double second_sum = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::size_t drawn = rng.Below(first.size());
      first_sum += first[drawn];
      second_sum += second[drawn];
    }
    value = statistic(first_sum / count, second_sum / count);
  }
  return PercentilesOf(statistics, options);
}

}  // namespace halftone
