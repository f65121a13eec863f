// Streaming statistics of one tensor over a calibration set, in two passes over the data.
//
// Pass one (RangeCollector) finds the range, pass two (TensorHistogram) counts values between its
// ends. Memory is O(channels) and O(bins), whatever the number of samples. NaN and infinities are
// counted apart and enter nothing else. Results do not depend on threads: what is added is a whole
// sample, and collectors are merged in the order of the samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "src/quantization/quantization.h"

namespace halftone {

// 2048 bins: 8 for each step of an 8-bit tensor that is not clipped.
inline constexpr std::size_t kHistogramBins = 2048;

// Layout of the channels of a tensor in memory: element (o, c, i) at (o * channels + c) * inner +
// i.
struct ChannelLayout {
  std::size_t channels = 0;  // 0: no statistics per channel
  std::size_t inner = 1;

  // Layout of a tensor with these extents and channels along `axis`.
  static ChannelLayout Of(std::span<const std::int64_t> shape, std::size_t axis);
};

// Pass one. A regular value.
class RangeCollector {
 public:
  RangeCollector() = default;
  explicit RangeCollector(ChannelLayout layout);

  // Adds one sample: all values of the tensor in one run. With a layout their number is a multiple
  // of channels * inner.
  void AddSample(std::span<const float> values);

  // Adds what `later`, of the same layout, collected from the samples that follow those of this
  // collector. Means are sums in double in the order of the samples: a collector for each sample,
  // merged in that order, gives the bits of one collector for all.
  void Merge(const RangeCollector& later);

  // Least and greatest finite value; {0, 0} when there was none.
  [[nodiscard]] ValueRange observed() const;
  // Means over the samples of the least and the greatest finite value of each.
  [[nodiscard]] ValueRange mean_of_samples() const;

  // Samples with a finite value.
  [[nodiscard]] std::int64_t samples() const { return samples_; }

  [[nodiscard]] std::uint64_t nan_count() const { return nan_count_; }

  [[nodiscard]] std::uint64_t infinity_count() const { return infinity_count_; }

  // Per channel; empty without a layout. Means are over the finite values.
  [[nodiscard]] const std::vector<float>& channel_magnitudes() const { return magnitudes_; }

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

// Pass two: how many values lie in each of equal bins from low to high. A regular value.
struct TensorHistogram {
  double low = 0;
  double high = 0;
  std::vector<std::uint64_t> counts;
  // Values equal to 0, which are in `counts` too: 0 is on every grid and so has no error.
  std::uint64_t zeros = 0;

  TensorHistogram() = default;

  explicit TensorHistogram(ValueRange range, std::size_t bins = kHistogramBins)
      : low(range.low), high(range.high), counts(bins) {}

  // Counts the finite values; those outside go to the nearest bin, all to bin 0 where low = high.
  // An upper edge belongs to the bin above it, except `high`. The order of adding does not matter.
  void Add(std::span<const float> values);
  // Adds the counts of a histogram of the same range and bins.
  void Merge(const TensorHistogram& other);

  [[nodiscard]] double width() const {
    return counts.empty() ? 0 : (high - low) / static_cast<double>(counts.size());
  }

  // Lower edge of bin `index`; edge(bins) is exactly `high`.
  [[nodiscard]] double edge(std::size_t index) const {
    return index == counts.size() ? high : low + static_cast<double>(index) * width();
  }

  [[nodiscard]] std::uint64_t total() const;
  // The bin that Add() counts a value in.
  [[nodiscard]] std::size_t bin_of(double value) const;

  friend bool operator==(const TensorHistogram&, const TensorHistogram&) = default;
};

// Statistics that calibration methods compute ranges from.
struct TensorStatistics {
  ValueRange observed;
  ValueRange mean_of_samples;
  TensorHistogram histogram;  // over `observed`
};

// `range`, made wider where it does not contain 0.
ValueRange WithZero(ValueRange range);

}  // namespace halftone
