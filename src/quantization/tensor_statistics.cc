#include "src/quantization/tensor_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "src/base/error.h"

namespace halftone {
namespace {

struct FiniteRange {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
  bool all_finite = true;
};

bool IsFinite(float value) {
  return std::abs(value) <= std::numeric_limits<float>::max();
}

// Lanes of a loop that compilers make vectors of, because no comparison depends on another: five
// times as fast as one value at a time with SSE2.
FiniteRange FiniteRangeOf(std::span<const float> values) {
  constexpr std::size_t kLanes = 16;
  const float infinity = std::numeric_limits<float>::infinity();
  std::array<float, kLanes> low, high;
  std::array<std::uint32_t, kLanes> others{};
  low.fill(infinity);
  high.fill(-infinity);
  const auto add = [&](float value, std::size_t lane) {
    const bool is_finite = IsFinite(value);
    const float if_low = is_finite ? value : infinity;
    const float if_high = is_finite ? value : -infinity;
    low[lane] = if_low < low[lane] ? if_low : low[lane];
    high[lane] = if_high > high[lane] ? if_high : high[lane];
    others[lane] |= is_finite ? 0U : 1U;
  };
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      add(values[i + lane], lane);
    }
  }
  for (; i < values.size(); ++i) {
    add(values[i], 0);
  }
  return {*std::min_element(low.begin(), low.end()), *std::max_element(high.begin(), high.end()),
          std::all_of(others.begin(), others.end(), [](std::uint32_t any) { return any == 0; })};
}

// Bins of values in a histogram.
class Places {
 public:
  explicit Places(const TensorHistogram& histogram)
      : low_(histogram.low),
        last_(static_cast<double>(histogram.counts.size() - 1)),
        bins_per_unit_(histogram.high > histogram.low
                           ? static_cast<double>(histogram.counts.size()) /
                                 (histogram.high - histogram.low)
                           : 0) {}

  // Ends are float32 values in double, so that neither the difference nor the quotient overflows.
  [[nodiscard]] std::int32_t Of(double value) const {
    const double position = (value - low_) * bins_per_unit_;
    const double above = position > 0 ? position : 0;
    return static_cast<std::int32_t>(above < last_ ? above : last_);
  }

  // The number of bins where the value is not finite.
  [[nodiscard]] std::int32_t OfFinite(float value) const {
    const std::int32_t place = Of(value);
    return IsFinite(value) ? place : static_cast<std::int32_t>(last_) + 1;
  }

 private:
  double low_;
  double last_;  // bin
  double bins_per_unit_;
};

}  // namespace

ChannelLayout ChannelLayout::Of(std::span<const std::int64_t> shape, std::size_t axis) {
  Check(axis < shape.size(), "the axis of channels is one of the shape");
  ChannelLayout layout{.channels = static_cast<std::size_t>(shape[axis]), .inner = 1};
  for (const std::int64_t extent : shape.subspan(axis + 1)) {
    layout.inner *= static_cast<std::size_t>(extent);
  }
  return layout;
}

RangeCollector::RangeCollector(ChannelLayout layout)
    : layout_(layout),
      magnitudes_(layout.channels),
      sums_(layout.channels),
      counts_(layout.channels) {}

void RangeCollector::AddSample(std::span<const float> values) {
  const FiniteRange range = FiniteRangeOf(values);
  if (range.low <= range.high) {
    low_ = std::min(low_, range.low);
    high_ = std::max(high_, range.high);
    low_sum_ += range.low;
    high_sum_ += range.high;
    ++samples_;
  }
  if (!range.all_finite) {
    for (const float value : values) {
      nan_count_ += std::isnan(value) ? 1 : 0;
      infinity_count_ += std::isinf(value) ? 1 : 0;
    }
  }
  if (layout_.channels != 0) {
    AddChannels(values);
  }
}

void RangeCollector::AddChannels(std::span<const float> values) {
  const std::size_t channels = layout_.channels;
  const std::size_t inner = layout_.inner;
  Check(inner != 0 && values.size() % (channels * inner) == 0,
        "a sample has whole channels of the layout");
  std::vector<double> sums(channels);
  for (std::size_t row = 0; row < values.size() / inner; ++row) {
    const std::size_t channel = row % channels;
    for (const float value : values.subspan(row * inner, inner)) {
      if (std::isfinite(value)) {
        magnitudes_[channel] = std::max(magnitudes_[channel], std::abs(value));
        sums[channel] += value;
        ++counts_[channel];
      }
    }
  }
  for (std::size_t channel = 0; channel < channels; ++channel) {
    sums_[channel] += sums[channel];
  }
}

void RangeCollector::Merge(const RangeCollector& later) {
  Check(later.layout_.channels == layout_.channels, "merged collectors have the same channels");
  low_ = std::min(low_, later.low_);
  high_ = std::max(high_, later.high_);
  low_sum_ += later.low_sum_;
  high_sum_ += later.high_sum_;
  samples_ += later.samples_;
  nan_count_ += later.nan_count_;
  infinity_count_ += later.infinity_count_;
  for (std::size_t channel = 0; channel < layout_.channels; ++channel) {
    magnitudes_[channel] = std::max(magnitudes_[channel], later.magnitudes_[channel]);
    sums_[channel] += later.sums_[channel];
    counts_[channel] += later.counts_[channel];
  }
}

ValueRange RangeCollector::observed() const {
  return samples_ == 0 ? ValueRange{} : ValueRange{low_, high_};
}

ValueRange RangeCollector::mean_of_samples() const {
  const auto count = static_cast<double>(samples_);
  return samples_ == 0 ? ValueRange{} : ValueRange{low_sum_ / count, high_sum_ / count};
}

std::vector<double> RangeCollector::channel_means() const {
  std::vector<double> means(sums_.size());
  for (std::size_t channel = 0; channel < means.size(); ++channel) {
    means[channel] =
        counts_[channel] == 0 ? 0 : sums_[channel] / static_cast<double>(counts_[channel]);
  }
  return means;
}

std::size_t TensorHistogram::bin_of(double value) const {
  return static_cast<std::size_t>(Places(*this).Of(value));
}

// The places of a block are found by a loop that compilers make vectors of, then counted; in turn
// in two rows, because the same bin twice in a row waits for itself, as zeros behind Relu do.
void TensorHistogram::Add(std::span<const float> values) {
  Check(!counts.empty(), "a histogram has bins");
  constexpr std::size_t kBlock = 256;
  constexpr std::size_t kRows = 2;
  const Places places(*this);
  const std::size_t row = counts.size() + 1;  // the last counts what is not finite
  std::vector<std::uint64_t> counted(kRows * row);
  std::array<std::int32_t, kBlock> at{};
  for (; !values.empty(); values = values.subspan(std::min(kBlock, values.size()))) {
    const std::size_t size = std::min(kBlock, values.size());
    std::uint32_t zeros_here = 0;
    for (std::size_t i = 0; i < size; ++i) {
      at[i] = places.OfFinite(values[i]);
      zeros_here += values[i] == 0 ? 1 : 0;
    }
    zeros += zeros_here;
    for (std::size_t i = 0; i < size; ++i) {
      ++counted[i % kRows * row + static_cast<std::size_t>(at[i])];
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      counts[bin] += counted[i * row + bin];
    }
  }
}

void TensorHistogram::Merge(const TensorHistogram& other) {
  Check(other.low == low && other.high == high && other.counts.size() == counts.size(),
        "merged histograms have the same bins");
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    counts[bin] += other.counts[bin];
  }
  zeros += other.zeros;
}

std::uint64_t TensorHistogram::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

ValueRange WithZero(ValueRange range) {
  return {std::min(range.low, 0.0), std::max(range.high, 0.0)};
}

}  // namespace halftone
