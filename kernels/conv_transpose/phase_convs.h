// Convolutions of a transposed convolution by phases (phases.h), along axes 1 and 2 of a call.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "kernels/conv_transpose/conv_transpose.h"

namespace halftone {

using PhasePair = std::array<std::int64_t, 2>;

// The pixel of the first output. Output o is phase (o + pad) % stride of pixel (o + pad) / stride;
// of two axes the phase is row * stride + column.
PhasePair FirstPixel(const ConvTransposeCall& call);

// Convolution of neighbouring phases with equal window sizes. It has one output channel for each
// phase and channel of the result.
struct PhaseConv {
  std::int64_t first_phase = 0;
  std::int64_t phases = 1;
  PhasePair pixels{};  // of the result, from FirstPixel() on: at least the pixels with outputs
  PhasePair window{};
  PhasePair pad{};
  PhasePair pad_end{};
};

// Convolutions of all phases, in order. A window that is a whole multiple of the stride takes one
// convolution; other windows take up to one for each phase. A depthwise call also takes one for
// each phase, because no fast kernel computes several results from one channel.
std::vector<PhaseConv> PhaseConvsOf(const ConvTransposeCall& call);

// True if there are several groups, each with one input and one output channel.
bool IsDepthwise(const ConvTransposeCall& call);

// Number of channels of the result.
std::int64_t ChannelsOf(const ConvTransposeCall& call);

// Reason why a call has no such convolutions; empty if it has. A call must have one group or be
// depthwise, and have up to two spatial axes, undilated windows at least as long as the stride, and
// at least one product to sum.
std::string_view PhaseConvsRefusal(const ConvTransposeCall& call);

// Types and attributes of a phase's convolution; the object must outlive a query of it.
struct PhaseTypes {
  TensorType x, w, bias, y;
  Attributes attributes;

  PhaseTypes(const ConvTransposeCall& call, const PhaseConv& conv);

  // The query in high precision, because Winograd's method has another bound. `bias_values`: null
  // without a bias.
  [[nodiscard]] KernelQuery Query(const Tensor* weights, const Tensor* bias_values) const;
};

// Weights [C, M, kh, kw] as [(phase, M), C, taps reversed]; for a depthwise call [C, 1, kh, kw] as
// [C, 1, taps reversed].
Tensor PhaseWeights(const ConvTransposeCall& call, const PhaseConv& conv, const Tensor& weights,
                    const Shape& shape);

}  // namespace halftone
