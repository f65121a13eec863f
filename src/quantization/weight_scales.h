// Scales of constant weights in int8: one for the tensor, or one for each result channel.
#pragma once

#include <span>

#include "src/quantization/glow_scheme.h"
#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// The host's rule: the largest magnitude of the channel / 127, rounded to float32. A scale below
// the least normal float32, as of a channel of zeros, becomes 1. A layout without channels gives
// one scale for the tensor. Error kModel: a weight is not finite.
WeightScales SymmetricWeightScales(std::span<const float> weights, ChannelLayout layout);

// The rule of AMCT's ARQ: greatest / 127 if the greatest weight is farther from 0 than the least,
// else -least / 128. Otherwise as SymmetricWeightScales().
WeightScales ArqWeightScales(std::span<const float> weights, ChannelLayout layout);

// Glow's rule for constants: GlowScale() of the least and the greatest weight, in int8 from -128 to
// 127. A layout with channels (Cloud AI: -enable-channelwise) makes the asymmetric schema
// symmetric. The result has zero points only if one of them is not 0. Errors as
// SymmetricWeightScales().
WeightScales GlowWeightScales(std::span<const float> weights, ChannelLayout layout,
                              QuantizationSchema schema);

}  // namespace halftone
