// Quantisation of constant tensors to integers, and the scales for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

// The scale of a constant float tensor: ActivationScaleOf() the range of its finite elements.
ActivationScale ScaleOfConstant(const Tensor& tensor);

// A scale with zero point 128 (0 in int8) that covers the range of `scale`: `scale` itself if its
// zero point is 128, else the largest magnitude of the range / 127.
ActivationScale AroundZero(const ActivationScale& scale);

// The scale of each channel of a tensor with factors: scale * factor, rounded to float32 and
// clamped to the normal float32 numbers.
std::vector<float> ScalesOfChannels(const ActivationScale& scale, const ChannelFactors& factors);

// `tensor`, of any float type, in uint8, rounded as by QuantizeLinear (kernels/quantized/linear.h).
// `factors` is null, or has one factor for each index of the tensor along their axis.
Tensor QuantizedBy(const Tensor& tensor, const ActivationScale& scale,
                   const ChannelFactors* factors = nullptr);

// The float32 values that the integers of QuantizedBy() stand for.
Tensor RoundedBy(const Tensor& tensor, const ActivationScale& scale,
                 const ChannelFactors* factors = nullptr);

// The float32 values that a product in dynamic int8 reads for a float32 tensor
// (kernels/quantized/dynamic_product.h). Each row, along the last axis, is rounded to the symmetric
// int8 grid of its own largest magnitude. A row with a value that is not finite becomes NaN.
Tensor RoundedByRows(const Tensor& tensor);

// `tensor` in float32, with channel c along `axis` multiplied by factors[c]; rounded once.
Tensor ScaledChannels(const Tensor& tensor, int axis, std::span<const float> factors);

// Weights of a product in int8, rounded to nearest even and clamped to -127 and 127, or to -128 and
// 127 if zero points are given. NaN becomes 0.
struct QuantizedWeights {
  Tensor integers;                        // int8, the shape of the weights
  std::vector<float> scales;              // one, or one per channel
  std::vector<std::int32_t> zero_points;  // parallel to `scales`; empty: all 0
};

// Weights of a product that QuantizeWeights() quantises.
struct WeightsQuery {
  const Tensor& weights;  // any float type
  int channel_axis = 0;
  bool per_channel = true;              // true: one computed scale per channel; false: one in all
  const WeightScales* given = nullptr;  // scales to use; null: they are computed
  // Bias of each channel; empty: none. A scale is enlarged where |bias| / (scale * input_scale)
  // would exceed 2^30.
  std::span<const double> bias;
  float input_scale = 1;
};

// Quantises the weights. Error kUsage: `given` has neither one scale nor one per channel. Error
// kModel: a weight is not finite, and scales are computed.
QuantizedWeights QuantizeWeights(const WeightsQuery& query);

// The bias in int32, one number per channel: bias / (input_scale * weight scale), rounded to
// nearest even and clamped to +-2^30. `weight_scales` has one scale, or one per channel.
Tensor QuantizedBias(std::span<const double> bias, float input_scale,
                     std::span<const float> weight_scales);

}  // namespace halftone
