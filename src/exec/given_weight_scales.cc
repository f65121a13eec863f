#include "src/exec/given_weight_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace halftone {
namespace {

// Slack for two roundings: of the product of a factor and a weight, and of their quotient.
constexpr double kSlack = 0x1p-22;

// Result channel of each element.
struct ChannelsOfElements {
  std::int64_t count = 1;
  std::int64_t inner = 1;

  ChannelsOfElements(const Shape& shape, int axis)
      : count(shape[axis]), inner(shape.ElementCount(axis + 1, shape.rank())) {}

  [[nodiscard]] std::size_t Of(std::size_t element) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(element) / inner % count);
  }
};

// The number by which each channel of `from` was multiplied to give `to`; empty: elements were
// moved, and not multiplied.
std::vector<double> FactorsBetween(const Tensor& from, const Tensor& to, int axis) {
  if (from.shape() != to.shape() || to.dtype() != from.dtype() || to.ElementCount() == 0) {
    return {};
  }
  const std::vector<double> before = DoublesOf(from);
  const std::vector<double> after = DoublesOf(to);
  const ChannelsOfElements channels(to.shape(), axis);
  std::vector<double> largest(static_cast<std::size_t>(channels.count), 0);
  std::vector<double> factors(largest.size(), 1);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t c = channels.Of(i);
    if (std::fabs(before[i]) > largest[c]) {
      largest[c] = std::fabs(before[i]);
      factors[c] = after[i] / before[i];
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double wanted = factors[channels.Of(i)] * before[i];
    const double slack = kSlack * std::fabs(wanted) + std::numeric_limits<float>::min();
    if (!(std::fabs(after[i] - wanted) <= slack)) {
      return {};
    }
  }
  return factors;
}

// Scale of the multiplied weights: above 0 and finite. Weights times 0 are 0 in any scale.
float TimesMagnitude(float scale, double factor) {
  constexpr double kLeast = std::numeric_limits<float>::min();
  constexpr double kMost = std::numeric_limits<float>::max();
  return factor == 0 ? 1.0F
                     : static_cast<float>(std::clamp(static_cast<double>(scale) * std::fabs(factor),
                                                     kLeast, kMost));
}

WeightScales Times(const WeightScales& given, const std::vector<double>& factors) {
  WeightScales scaled;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    const std::size_t of = given.scales.size() == 1 ? 0 : c;
    scaled.scales.push_back(TimesMagnitude(given.scales[of], factors[c]));
    if (!given.zero_points.empty()) {
      // -(q - z) = (-1 - q) - (-1 - z), and -1 - q is an int8 for each int8 q.
      const std::int32_t zero = given.zero_points[of];
      scaled.zero_points.push_back(factors[c] < 0 ? -1 - zero : zero);
    }
  }
  return scaled;
}

}  // namespace

std::optional<WeightScales> GivenWeightScales(const Graph& graph, ValueId weights, int channel_axis,
                                              const Quantization& quantization) {
  std::vector<double> factors;  // empty: 1 each
  ValueId id = weights;
  while (id != kNoValue && !quantization.weights.contains(graph.value(id).name)) {
    const ValueId source = graph.value(id).stands_for;
    if (source == kNoValue || !graph.value(source).constant || quantization.weights.empty()) {
      return std::nullopt;
    }
    const std::vector<double> more =
        FactorsBetween(*graph.value(source).constant, *graph.value(id).constant, channel_axis);
    factors.resize(std::max(factors.size(), more.size()), 1);
    for (std::size_t c = 0; c < more.size(); ++c) {
      factors[c] *= more[c];
    }
    id = source;
  }
  if (id == kNoValue) {
    return std::nullopt;
  }
  const WeightScales& given = quantization.weights.find(graph.value(id).name)->second;
  const std::int64_t channels = graph.value(weights).type.shape[channel_axis];
  const bool fits = given.scales.size() == 1 || std::cmp_equal(given.scales.size(), channels);
  if (!fits && id != weights) {
    return std::nullopt;
  }
  return factors.empty() || !fits ? given : Times(given, factors);
}

}  // namespace halftone
