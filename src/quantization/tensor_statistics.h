// Streaming statistics of one tensor over a calibration set, in two passes over the data.
//
// Pass one (RangeCollector) finds the range; pass two (TensorHistogram) counts the values in bins
// of this range. Memory is O(channels) and O(bins), whatever the number of samples. NaN and
// infinities are counted apart and enter no other result. Results do not depend on the number of
// threads, because collectors take whole samples and are merged in the order of the samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "src/quantization/quantization.h"

namespace halftone {

// Default number of bins: 8 for each step of an 8-bit grid over the observed range.
inline constexpr std::size_t kHistogramBins = 2048;

// Layout of the channels of a tensor in memory. Element i of channel c, in outer index o, lies at
// offset (o * channels + c) * inner + i.
struct ChannelLayout {
  std::size_t channels = 0;  // 0: no statistics per channel
  std::size_t inner = 1;

  // Layout of a tensor with these extents and channels along `axis`.
  static ChannelLayout Of(std::span<const std::int64_t> shape, std::size_t axis);
};

// Collector of pass one.
class RangeCollector {
 public:
  RangeCollector() = default;
  explicit RangeCollector(ChannelLayout layout);

  // Adds one sample, which is all values of the tensor in one run. With a layout, their number must
  // be a multiple of channels * inner.
  void AddSample(std::span<const float> values);

  // Adds the results of `later`, a collector with the same layout for the samples behind those of
  // this one. Sums are in double and in the order of the samples. So one collector for each sample,
  // merged in that order, gives the same bits as one collector for all samples.
  void Merge(const RangeCollector& later);

  // Least and greatest finite value; {0, 0} if there was none.
  [[nodiscard]] ValueRange observed() const;
  // Range from the mean of the samples' least values to the mean of their greatest values, over
  // samples with a finite value; {0, 0} if there was none.
  [[nodiscard]] ValueRange mean_of_samples() const;

  // Number of samples with a finite value.
  [[nodiscard]] std::int64_t samples() const { return samples_; }

  [[nodiscard]] std::uint64_t nan_count() const { return nan_count_; }

  [[nodiscard]] std::uint64_t infinity_count() const { return infinity_count_; }

  // Largest finite magnitude of each channel; empty without a layout.
  [[nodiscard]] const std::vector<float>& channel_magnitudes() const { return magnitudes_; }

  // Mean of the finite values of each channel, 0 for a channel without any; empty without a layout.
  [[nodiscard]] std::vector<double> channel_means() const;

 private:
  void AddChannels(std::span<const float> values);

  ChannelLayout layout_;
  float low_ = std::numeric_limits<float>::infinity();
  float high_ = -std::numeric_limits<float>::infinity();
  double low_sum_ = 0, high_sum_ = 0;
  std::int64_t samples_ = 0;
  std::uint64_t nan_count_ = 0, infinity_count_ = 0;
  std::vector<float> magnitudes_;
  std::vector<double> sums_;
  std::vector<std::uint64_t> counts_;
};

// Histogram of pass two: numbers of values in equal bins from `low` to `high`.
struct TensorHistogram {
  double low = 0;
  double high = 0;
  std::vector<std::uint64_t> counts;
  // Number of values equal to 0. They are in `counts` too, but have no error on any grid.
  std::uint64_t zeros = 0;

  TensorHistogram() = default;

  explicit TensorHistogram(ValueRange range, std::size_t bins = kHistogramBins)
      : low(range.low), high(range.high), counts(bins) {}

  // Counts the finite values. A value outside the range goes to the nearest bin; if low = high,
  // every value goes to bin 0. An edge between two bins belongs to the upper one, and `high` to the
  // last bin. The order of calls does not matter.
  void Add(std::span<const float> values);
  // Adds the counts of a histogram with the same range and number of bins.
  void Merge(const TensorHistogram& other);

  [[nodiscard]] double width() const {
    return counts.empty() ? 0 : (high - low) / static_cast<double>(counts.size());
  }

  // Lower edge of bin `index`; for index = counts.size() exactly `high`.
  [[nodiscard]] double edge(std::size_t index) const {
    return index == counts.size() ? high : low + static_cast<double>(index) * width();
  }

  [[nodiscard]] std::uint64_t total() const;
  // The bin that Add() counts a value in.
  [[nodiscard]] std::size_t bin_of(double value) const;

  friend bool operator==(const TensorHistogram&, const TensorHistogram&) = default;
};

// Statistics from which calibration methods compute ranges.
struct TensorStatistics {
  ValueRange observed;
  ValueRange mean_of_samples;
  TensorHistogram histogram;  // over `observed`
};

// `range`, extended to 0 if it does not contain 0.
ValueRange WithZero(ValueRange range);

}  // namespace halftone
