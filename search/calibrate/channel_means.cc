#include "search/calibrate/channel_means.h"

#include <algorithm>
#include <cmath>

namespace halftone {

std::vector<std::vector<double>> ChannelMeans(const Tensor& tensor, int axis) {
  const Shape& shape = tensor.shape();
  const std::int64_t channels = shape[axis];
  const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
  const std::int64_t positions = shape.ElementCount(0, axis) * inner;
  const std::int64_t parts = positions < kPartsOfSample ? 1 : kPartsOfSample;
  const std::vector<double> zeros(static_cast<std::size_t>(channels));
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(parts), zeros);
  std::vector<std::vector<double>> counts = sums;
  const auto values = tensor.values<float>();
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const auto value = static_cast<double>(values[static_cast<std::size_t>(i)]);
    if (std::isfinite(value)) {
      const std::int64_t position = i / (inner * channels) * inner + i % inner;
      const auto part = static_cast<std::size_t>(position * parts / positions);
      const auto channel = static_cast<std::size_t>(i / inner % channels);
      sums[part][channel] += value;
      counts[part][channel] += 1;
    }
  }
  for (std::size_t part = 0; part < sums.size(); ++part) {
    for (std::size_t c = 0; c < zeros.size(); ++c) {
      sums[part][c] /= std::max(counts[part][c], 1.0);
    }
  }
  return sums;
}

double ShiftOf(const std::vector<double>& observations) {
  if (observations.size() < kFewestObservations) {
    return 0;
  }
  const auto count = static_cast<double>(observations.size());
  double mean = 0;
  for (const double observation : observations) {
    mean += observation / count;
  }
  if (mean == 0) {
    return 0;
  }
  double squares = 0;
  for (const double observation : observations) {
    squares += (observation - mean) * (observation - mean);
  }
  const double error_power = squares / (count - 1) / count;
  return mean * std::max(0.0, 1 - (count - 1) / (count - 3) * error_power / (mean * mean));
}

}  // namespace halftone
