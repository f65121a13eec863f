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

// Convolution of neighbouring phases with windows of one size: one of its channels for each phase
// and channel of the result.
struct PhaseConv {
  std::int64_t first_phase = 0;
  std::int64_t phases = 1;
  PhasePair pixels{};  // of the result, from FirstPixel() on: at least those with outputs
  PhasePair window{};
  PhasePair pad{};
  PhasePair pad_end{};
};

// Convolutions of all phases, in order. Windows that are whole multiples of the stride take one
// convolution, others up to one for each phase. So does a depthwise call: no fast kernel makes
// several results of one channel.
std::vector<PhaseConv> PhaseConvsOf(const ConvTransposeCall& call);

// Whether every group has one channel on each side, and there are several groups.
bool IsDepthwise(const ConvTransposeCall& call);

// Number of channels of the result.
std::int64_t ChannelsOf(const ConvTransposeCall& call);

// Empty, or why a call has no such convolutions: only one group or depthwise, up to two spatial
// axes, windows at least as long as the stride, no dilated ones, and something to sum.
std::string_view PhaseConvsRefusal(const ConvTransposeCall& call);

// Types and attributes of a phase's convolution; the object must outlive a query of it.
struct PhaseTypes {
  TensorType x, w, bias, y;
  Attributes attributes;

  PhaseTypes(const ConvTransposeCall& call, const PhaseConv& conv);

  // The query, in high precision: Winograd's method has another bound. `bias_values`: null for
  // none.
  [[nodiscard]] KernelQuery Query(const Tensor* weights, const Tensor* bias_values) const;
};

// Weights [C, M, kh, kw] as [(phase, M), C, taps reversed]; for a depthwise call [C, 1, kh, kw] as
// [C, 1, taps reversed].
Tensor PhaseWeights(const ConvTransposeCall& call, const PhaseConv& conv, const Tensor& weights,
                    const Shape& shape);

}  // namespace halftone
