#include "src/quantization/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.h"
#include "src/quantization/schemes.h"
#include "src/quantization/weight_scales.h"

namespace halftone {
namespace {

constexpr int kLargestWeight = 127;
constexpr float kLeastRowMagnitude = 0x1p-119F;  // kernels/quantized/dynamic_product.h
// Sums of 255 * 127 * K stay below 2^30 up to K = 33,000, so that a bias below 2^30 fits beside
// them.
constexpr double kLargestBias = 0x1p30;

// A tensor as [outer, channels, inner].
struct Channels {
  std::int64_t outer = 1;
  std::int64_t count = 1;
  std::int64_t inner = 1;

  [[nodiscard]] std::int64_t Of(std::int64_t element) const { return element / inner % count; }
};

Channels ChannelsOf(const Shape& shape, int axis) {
  Channels channels;
  for (int i = 0; i < shape.rank(); ++i) {
    (i < axis ? channels.outer : i == axis ? channels.count : channels.inner) *= shape[i];
  }
  return channels;
}

// The scale of each element of an activation.
class ElementScales {
 public:
  ElementScales(const Shape& shape, const ActivationScale& scale, const ChannelFactors* factors)
      : scales_{scale.scale} {
    if (factors != nullptr) {
      channels_ = ChannelsOf(shape, factors->axis);
      scales_ = ScalesOfChannels(scale, *factors);
      Check(channels_.count == std::ssize(scales_), "a factor for each channel");
    }
  }

  // Calls `run` with [begin, end) and the scale of these elements, for runs with one scale.
  template <typename Run>
  void ForEachRun(std::size_t elements, const Run& run) const {
    if (scales_.size() == 1) {
      run(std::size_t{0}, elements, scales_[0]);
      return;
    }
    const auto inner = static_cast<std::size_t>(channels_.inner);
    for (std::size_t begin = 0, channel = 0; begin < elements;
         begin += inner, channel = (channel + 1) % scales_.size()) {
      run(begin, begin + inner, scales_[channel]);
    }
  }

 private:
  Channels channels_;  // without factors one channel
  std::vector<float> scales_;
};

// The number of steps from the zero point to the 8-bit number nearest to the value, ties to even.
float StepsOf(float value, float scale, std::int32_t zero_point) {
  // A sum with this number has no fraction bits, so the addition rounds as nearbyint() does; the
  // compiler does so for several values at a time.
  constexpr float kNoFraction = 0x1.8p23F;
  const auto zero = static_cast<float>(zero_point);
  const float quotient = value / scale;
  const float above = quotient > -zero ? quotient : -zero;  // NaN becomes the least value
  const float within = above < 255 - zero ? above : 255 - zero;
  return (within + kNoFraction) - kNoFraction;
}

void EnlargeForBias(const WeightsQuery& query, std::vector<float>& scales) {
  for (std::size_t c = 0; c < query.bias.size(); ++c) {
    float& scale = scales[scales.size() == 1 ? 0 : c];
    const double least =
        std::fabs(query.bias[c]) / (kLargestBias * static_cast<double>(query.input_scale));
    if (static_cast<double>(scale) < least) {
      scale = std::nextafter(static_cast<float>(least), std::numeric_limits<float>::max());
    }
  }
}

}  // namespace

ActivationScale ScaleOfConstant(const Tensor& tensor) {
  ValueRange range;
  for (const double value : DoublesOf(tensor)) {
    if (std::isfinite(value)) {
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  return ActivationScaleOf(range);
}

ActivationScale AroundZero(const ActivationScale& scale) {
  constexpr std::int32_t kMiddle = 128;  // uint8 that int8 has as 0
  if (scale.zero_point == kMiddle) {
    return scale;
  }
  const ValueRange range = scale.range();
  return {.scale = static_cast<float>(std::max(-range.low, range.high) / (kMiddle - 1)),
          .zero_point = kMiddle};
}

std::vector<float> ScalesOfChannels(const ActivationScale& scale, const ChannelFactors& factors) {
  std::vector<float> scales;
  scales.reserve(factors.factors.size());
  for (const float factor : factors.factors) {
    const double product = static_cast<double>(factor) * static_cast<double>(scale.scale);
    scales.push_back(static_cast<float>(
        std::clamp(product, static_cast<double>(std::numeric_limits<float>::min()),
                   static_cast<double>(std::numeric_limits<float>::max()))));
  }
  return scales;
}

Tensor QuantizedBy(const Tensor& tensor, const ActivationScale& scale,
                   const ChannelFactors* factors) {
  const Tensor floats = Convert(tensor, DType::kFloat32);
  const std::span<const float> values = floats.values<float>();
  const ElementScales scales(tensor.shape(), scale, factors);
  Tensor result(DType::kUInt8, tensor.shape());
  auto* to = reinterpret_cast<std::uint8_t*>(result.mutable_data());
  scales.ForEachRun(values.size(), [&](std::size_t begin, std::size_t end, float of_run) {
    for (std::size_t i = begin; i < end; ++i) {
      to[i] = static_cast<std::uint8_t>(
          static_cast<std::int32_t>(StepsOf(values[i], of_run, scale.zero_point)) +
          scale.zero_point);
    }
  });
  return result;
}

Tensor RoundedBy(const Tensor& tensor, const ActivationScale& scale,
                 const ChannelFactors* factors) {
  const Tensor floats = Convert(tensor, DType::kFloat32);
  const std::span<const float> values = floats.values<float>();
  const ElementScales scales(tensor.shape(), scale, factors);
  Tensor result(DType::kFloat32, tensor.shape());
  const std::span<float> to = result.mutable_values<float>();
  scales.ForEachRun(values.size(), [&](std::size_t begin, std::size_t end, float of_run) {
    for (std::size_t i = begin; i < end; ++i) {
      to[i] = StepsOf(values[i], of_run, scale.zero_point) * of_run;
    }
  });
  return result;
}

Tensor RoundedByRows(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  Tensor rounded(DType::kFloat32, shape);
  const auto x = tensor.values<float>();
  const auto y = rounded.mutable_values<float>();
  const auto count = static_cast<std::size_t>(shape.rank() == 0 ? 1 : shape[shape.rank() - 1]);
  for (std::size_t first = 0; count > 0 && first < x.size(); first += count) {
    float largest = 0;
    bool is_finite = true;
    for (std::size_t i = first; i < first + count; ++i) {
      largest = std::max(largest, std::fabs(x[i]));
      is_finite = is_finite && std::isfinite(x[i]);
    }
    const bool is_zero = largest < kLeastRowMagnitude;
    for (std::size_t i = first; i < first + count; ++i) {
      y[i] = !is_finite ? std::numeric_limits<float>::quiet_NaN()
             : is_zero  ? 0.0F
                        : std::nearbyint(x[i] * (127.0F / largest)) * (largest / 127.0F);
    }
  }
  return rounded;
}

Tensor ScaledChannels(const Tensor& tensor, int axis, std::span<const float> factors) {
  const Channels channels = ChannelsOf(tensor.shape(), axis);
  Check(channels.count == std::ssize(factors), "a factor for each channel");
  const std::vector<double> values = DoublesOf(tensor);
  Tensor result(DType::kFloat32, tensor.shape());
  const auto to = result.mutable_values<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto channel = static_cast<std::size_t>(channels.Of(static_cast<std::int64_t>(i)));
    to[i] = static_cast<float>(values[i] * static_cast<double>(factors[channel]));
  }
  return result;
}

QuantizedWeights QuantizeWeights(const WeightsQuery& query) {
  const std::vector<double> values = DoublesOf(query.weights);
  const Channels channels = ChannelsOf(query.weights.shape(), query.channel_axis);
  QuantizedWeights made{
      .integers = Tensor(DType::kInt8, query.weights.shape()), .scales = {}, .zero_points = {}};
  if (query.given != nullptr) {
    made.scales = query.given->scales;
    made.zero_points = query.given->zero_points;
    const auto count = static_cast<std::int64_t>(made.scales.size());
    if (count != 1 && count != channels.count) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the quantisation gives {} scales to weights of {} "
                              "channels; expected one, or one a channel",
                              count, channels.count));
    }
  } else {
    const Tensor floats = Convert(query.weights, DType::kFloat32);
    made.scales = SymmetricWeightScales(
                      floats.values<float>(),
                      query.per_channel ? ChannelLayout{static_cast<std::size_t>(channels.count),
                                                        static_cast<std::size_t>(channels.inner)}
                                        : ChannelLayout{})
                      .scales;
  }
  EnlargeForBias(query, made.scales);
  auto* to = reinterpret_cast<std::int8_t*>(made.integers.mutable_data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel =
        made.scales.size() == 1
            ? 0
            : static_cast<std::size_t>(channels.Of(static_cast<std::int64_t>(i)));
    const double zero = made.zero_points.empty() ? 0 : made.zero_points[channel];
    const double least = made.zero_points.empty() ? -kLargestWeight : -128;
    const double q = std::nearbyint(values[i] / static_cast<double>(made.scales[channel])) + zero;
    to[i] = static_cast<std::int8_t>(std::isnan(q) ? 0 : std::clamp(q, least, 127.0));
  }
  return made;
}

Tensor QuantizedBias(std::span<const double> bias, float input_scale,
                     std::span<const float> weight_scales) {
  Tensor result(DType::kInt32, Shape{static_cast<std::int64_t>(bias.size())});
  auto* to = reinterpret_cast<std::int32_t*>(result.mutable_data());
  for (std::size_t c = 0; c < bias.size(); ++c) {
    const auto weight = static_cast<double>(weight_scales[weight_scales.size() == 1 ? 0 : c]);
    const double q = std::nearbyint(bias[c] / (static_cast<double>(input_scale) * weight));
    to[c] = static_cast<std::int32_t>(std::clamp(q, -kLargestBias, kLargestBias));
  }
  return result;
}

}  // namespace halftone
