#include "src/quantization/weight_scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

struct Ends {
  float least = 0;
  float greatest = 0;
};

std::vector<Ends> EndsOfChannels(std::span<const float> weights, ChannelLayout layout) {
  if (layout.channels == 0) {
    layout = {.channels = 1, .inner = std::max<std::size_t>(weights.size(), 1)};
  }
  Check(layout.inner != 0 && weights.size() % (layout.channels * layout.inner) == 0,
        "weights have whole channels of the layout");
  std::vector<Ends> ends(layout.channels);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i])) {
      throw Error(ErrorKind::kModel,
                  fmt::format("weights to quantise: expected finite values, found {} at element "
                              "{}; keep the operator in float32",
                              weights[i], i));
    }
    Ends& of_channel = ends[i / layout.inner % layout.channels];
    of_channel.least = std::min(of_channel.least, weights[i]);
    of_channel.greatest = std::max(of_channel.greatest, weights[i]);
  }
  return ends;
}

template <typename Rule>
WeightScales ScalesBy(Rule rule, std::span<const float> weights, ChannelLayout layout) {
  WeightScales result;
  for (const Ends& ends : EndsOfChannels(weights, layout)) {
    const float scale = rule(ends);
    result.scales.push_back(scale < std::numeric_limits<float>::min() ? 1 : scale);
  }
  return result;
}

}  // namespace

WeightScales SymmetricWeightScales(std::span<const float> weights, ChannelLayout layout) {
  return ScalesBy([](Ends ends) { return std::max(-ends.least, ends.greatest) / 127; }, weights,
                  layout);
}

WeightScales ArqWeightScales(std::span<const float> weights, ChannelLayout layout) {
  return ScalesBy(
      [](Ends ends) {
        return ends.greatest > -ends.least ? ends.greatest / 127 : -ends.least / 128;
      },
      weights, layout);
}

WeightScales GlowWeightScales(std::span<const float> weights, ChannelLayout layout,
                              QuantizationSchema schema) {
  if (layout.channels != 0 && schema == QuantizationSchema::kAsymmetric) {
    schema = QuantizationSchema::kSymmetric;
  }
  WeightScales result;
  for (const Ends& ends : EndsOfChannels(weights, layout)) {
    const ScaleAndZero scale = GlowScale(ends.least, ends.greatest, schema, DType::kInt8);
    result.scales.push_back(scale.scale);
    result.zero_points.push_back(scale.zero_point);
  }
  if (std::all_of(result.zero_points.begin(), result.zero_points.end(),
                  [](std::int32_t zero) { return zero == 0; })) {
    result.zero_points.clear();
  }
  return result;
}

}  // namespace halftone
