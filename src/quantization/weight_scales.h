// Scales of constant weights: int8, one for the tensor or one for each result channel.
#pragma once

#include <span>

#include "src/quantization/glow_scheme.h"
#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// The host's rule: the largest magnitude of the channel (of the tensor for a layout without
// channels) / 127, rounded to float32; 1 where that is below the least normal float32, as for a
// channel of zeros. Throws Error{kModel} where a weight is not finite.
WeightScales SymmetricWeightScales(std::span<const float> weights, ChannelLayout layout);

// AMCT's ARQ: max / 127 where the greatest weight is farther from 0 than the least, else -min /
// 128. Otherwise as SymmetricWeightScales().
WeightScales ArqWeightScales(std::span<const float> weights, ChannelLayout layout);

// Glow's rule for constants: GlowScale() of the least and the greatest weight in int8, all 256
// numbers. With a layout that has channels (Cloud AI: -enable-channelwise) the asymmetric schema
// becomes symmetric. Zero points are given where any is not 0. Throws as SymmetricWeightScales().
WeightScales GlowWeightScales(std::span<const float> weights, ChannelLayout layout,
                              QuantizationSchema schema);

}  // namespace halftone
