#include "search/calibrate/channel_means.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>

#include "src/base/lanes.h"

namespace halftone {
namespace {

struct FiniteSum {
  double sum = 0;
  double count = 0;

  void Add(std::span<const float> values) {
    Lanes sums{};
    Lanes counts{};
    ForEachInLanes(values.size(), [&](std::size_t lane, std::size_t i) {
      const auto value = static_cast<double>(values[i]);
      const bool is_finite = std::isfinite(value);
      sums[lane] += is_finite ? value : 0;
      counts[lane] += is_finite ? 1 : 0;
    });
    sum += Total(sums);
    count += Total(counts);
  }

  [[nodiscard]] double mean() const { return sum / std::max(count, 1.0); }
};

}  // namespace

std::vector<std::vector<double>> ChannelMeans(const Tensor& tensor, int axis) {
  const Shape& shape = tensor.shape();
  const auto channels = static_cast<std::size_t>(shape[axis]);
  const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
  const std::int64_t positions = shape.ElementCount(0, axis) * inner;
  const std::int64_t parts = positions < kPartsOfSample ? 1 : kPartsOfSample;
  const auto values = tensor.values<float>();
  std::vector<std::vector<double>> means;
  for (std::int64_t part = 0; part < parts; ++part) {
    // Position p lies in the part floor(p * parts / positions).
    const std::int64_t end = (positions * (part + 1) + parts - 1) / parts;
    std::int64_t position = (positions * part + parts - 1) / parts;
    std::vector<FiniteSum> of_channel(channels);
    while (position < end) {
      const std::int64_t run = std::min(end - position, inner - position % inner);
      const auto count = static_cast<std::size_t>(run);
      auto first =
          static_cast<std::size_t>(position / inner * inner * shape[axis] + position % inner);
      for (FiniteSum& sum : of_channel) {
        sum.Add(values.subspan(first, count));
        first += static_cast<std::size_t>(inner);
      }
      position += run;
    }
    std::vector<double>& of_part = means.emplace_back();
    std::ranges::transform(of_channel, std::back_inserter(of_part), &FiniteSum::mean);
  }
  return means;
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
