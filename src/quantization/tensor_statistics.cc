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

// Lanes of a loop that compilers make vectors of: three times as fast as one value at a time.
FiniteRange FiniteRangeOf(std::span<const float> values) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> low, high;
  std::array<std::uint32_t, kLanes> others{};
  low.fill(std::numeric_limits<float>::infinity());
  high.fill(-std::numeric_limits<float>::infinity());
  const auto add = [&](float value, std::size_t lane) {
    const bool is_finite = std::abs(value) <= std::numeric_limits<float>::max();
    low[lane] = is_finite && value < low[lane] ? value : low[lane];
    high[lane] = is_finite && value > high[lane] ? value : high[lane];
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
  // Ends are float32 values in double, so that neither the difference nor the quotient overflows.
  const double bins_per_unit = high > low ? static_cast<double>(counts.size()) / (high - low) : 0;
  const double position = (value - low) * bins_per_unit;
  return static_cast<std::size_t>(
      std::clamp(position, 0.0, static_cast<double>(counts.size() - 1)));
}

void TensorHistogram::Add(std::span<const float> values) {
  Check(!counts.empty(), "a histogram has bins");
  for (const float value : values) {
    if (std::isfinite(value)) {
      ++counts[bin_of(value)];
      zeros += value == 0 ? 1 : 0;
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
