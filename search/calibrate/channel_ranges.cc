#include "search/calibrate/channel_ranges.h"

#include <algorithm>
#include <cmath>

namespace halftone {

void ChannelRanges::Add(const Tensor& tensor, int axis) {
  const Shape& shape = tensor.shape();
  const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
  const auto values = tensor.values<float>();
  ranges_.resize(static_cast<std::size_t>(shape[axis]));
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const auto value = static_cast<double>(values[static_cast<std::size_t>(i)]);
    if (std::isfinite(value)) {
      ValueRange& range = ranges_[static_cast<std::size_t>(i / inner % shape[axis])];
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
}

std::vector<double> ChannelRanges::magnitudes() const {
  std::vector<double> result;
  result.reserve(ranges_.size());
  for (const ValueRange& range : ranges_) {
    result.push_back(std::max(-range.low, range.high));
  }
  return result;
}

ValueRange ChannelRanges::Divided(const std::vector<float>& factors) const {
  ValueRange whole;
  for (std::size_t c = 0; c < ranges_.size(); ++c) {
    const double factor = factors.empty() ? 1 : static_cast<double>(factors[c]);
    whole.low = std::min(whole.low, ranges_[c].low / factor);
    whole.high = std::max(whole.high, ranges_[c].high / factor);
  }
  return whole;
}

}  // namespace halftone
