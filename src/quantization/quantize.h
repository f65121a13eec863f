// Integers of constant tensors, and scales from ranges and weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

// The scale of a constant float tensor, from its finite elements.
ActivationScale ScaleOfConstant(const Tensor& tensor);

// Scale with zero point 128, as int8 without a zero point has, that holds the range of `scale`:
// `scale` itself if its zero point is 128, else largest magnitude / 127.
ActivationScale AroundZero(const ActivationScale& scale);

// The scale of each channel of a tensor with factors: their product, rounded to float32. A product
// below the least normal float32 or above the greatest is replaced by it.
std::vector<float> ScalesOfChannels(const ActivationScale& scale, const ChannelFactors& factors);

// Any float tensor as uint8, rounded as by QuantizeLinear (kernels/quantized/linear.h). `factors`:
// null, or as many as the tensor has indices along their axis.
Tensor QuantizedBy(const Tensor& tensor, const ActivationScale& scale,
                   const ChannelFactors* factors = nullptr);

// float32 values of the integers of QuantizedBy().
Tensor RoundedBy(const Tensor& tensor, const ActivationScale& scale,
                 const ChannelFactors* factors = nullptr);

// float32 values of `tensor` (float32) as a product in dynamic int8 reads them: each row (its last
// axis) on the grid of its own largest magnitude (kernels/quantized/dynamic_product.h). A row with
// a value that is not finite becomes NaN.
Tensor RoundedByRows(const Tensor& tensor);

// `tensor`, each index c along `axis` multiplied by factors[c]: float32, rounded once.
Tensor ScaledChannels(const Tensor& tensor, int axis, std::span<const float> factors);

// Weights of a product: int8, rounded to nearest even and cut to -127 and 127 (to -128 and 127
// where a zero point is given).
struct QuantizedWeights {
  Tensor integers;                        // int8, the shape of the weights
  std::vector<float> scales;              // one, or one per channel
  std::vector<std::int32_t> zero_points;  // as many; empty: all 0
};

// Weights of a product to be quantised, and the bias that their scales must allow for.
struct WeightsQuery {
  const Tensor& weights;  // floats
  int channel_axis = 0;
  bool per_channel = true;
  const WeightScales* given = nullptr;  // scales that are not computed; null: none
  // Bias of each channel, empty: none. A scale is enlarged where the bias, divided by it and by
  // `input_scale`, would need more than 30 bits.
  std::span<const double> bias;
  float input_scale = 1;
};

// Error kUsage: `given` has neither one scale nor one per channel.
QuantizedWeights QuantizeWeights(const WeightsQuery& query);

// bias / (input_scale * weight scale), rounded to nearest even: int32, one per channel.
Tensor QuantizedBias(std::span<const double> bias, float input_scale,
                     std::span<const float> weight_scales);

}  // namespace halftone
