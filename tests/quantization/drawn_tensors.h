// Values as tensors of networks have them, drawn from a seed, and their statistics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "src/base/rng.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone::testing {

// Standard deviation 1, mean 0.
inline double DrawLaplace(Rng& rng) {
  const double u = rng.Uniform() - 0.5;
  return (u < 0 ? 1 : -1) * std::log(1 - 2 * std::abs(u)) / std::sqrt(2.0);
}

template <typename Draw>
std::vector<float> Drawn(std::size_t count, std::uint64_t seed, Draw draw) {
  Rng rng(seed);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return static_cast<float>(draw(rng)); });
  return values;
}

// Statistics of values that come in `samples` runs of the same size, or nearly.
inline TensorStatistics StatisticsOf(std::span<const float> values, std::size_t samples = 1,
                                     std::size_t bins = kHistogramBins) {
  RangeCollector collector;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t first = values.size() * i / samples;
    collector.AddSample(values.subspan(first, values.size() * (i + 1) / samples - first));
  }
  TensorHistogram histogram(collector.observed(), bins);
  histogram.Add(values);
  return {collector.observed(), collector.mean_of_samples(), histogram};
}

}  // namespace halftone::testing
