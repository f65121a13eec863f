// Statistics of timing samples and their uncertainty. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace halftone {

struct Interval {
  double low = 0;
  double high = 0;

  [[nodiscard]] double half_width() const { return (high - low) / 2; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

// Median; for an even count the mean of the middle two. Requires a non-empty sample.
double Median(std::span<const double> sample);

// p-quantile, 0 <= p <= 1, interpolated linearly between order statistics (type 7 of Hyndman and
// Fan, "Sample quantiles in statistical packages", 1996). Requires a non-empty sample.
double Quantile(std::span<const double> sample, double p);

// Median of the absolute deviations from the median, not scaled. Requires a non-empty sample.
double MedianAbsoluteDeviation(std::span<const double> sample);

struct BootstrapOptions {
  double confidence = 0.95;
  int resamples = 1000;
  std::uint64_t seed = 1;
};

// Percentile bootstrap interval of the median (Efron and Tibshirani, An Introduction to the
// Bootstrap, 1993, chapter 13). The same sample and seed give the same interval. One observation
// gives an interval of width zero: the caller decides how many are enough.
Interval BootstrapMedianInterval(std::span<const double> sample,
                                 const BootstrapOptions& options = {});

// Percentile bootstrap interval of the mean.
Interval BootstrapMeanInterval(std::span<const double> sample,
                               const BootstrapOptions& options = {});

// 95 % interval of the mean of 2 or more values by the central limit theorem: mean +- 1.96 standard
// errors. For large samples, where a bootstrap gives the same and takes long.
Interval NormalMeanInterval(std::span<const double> sample);

// NormalMeanInterval() from the mean and the sum of squared deviations from it.
Interval NormalMeanInterval(double mean, double squared_off, std::size_t count);

// Percentile bootstrap interval of statistic(mean of first, mean of second). Pairs are resampled
// together. Requires samples of equal size.
Interval BootstrapPairedMeansInterval(std::span<const double> first, std::span<const double> second,
                                      const std::function<double(double, double)>& statistic,
                                      const BootstrapOptions& options = {});

}  // namespace halftone
