// Convolutions that compute a transposed convolution by phases (phases.h), along axes 1 and 2 of a
// ConvTransposeCall.
//
// Along one axis, output o belongs to pixel (o + pad) / stride and has phase (o + pad) % stride. An
// output whose row has phase r and whose column has phase c has phase r * s + c, where s is the
// stride along columns.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "kernels/conv_transpose/conv_transpose.h"

namespace halftone {

using PhasePair = std::array<std::int64_t, 2>;

// The pixel that the first output belongs to.
PhasePair FirstPixel(const ConvTransposeCall& call);

// Convolution of neighbouring phases that have windows of equal size. It has an output channel for
// each of these phases and each channel of the result.
struct PhaseConv {
  std::int64_t first_phase = 0;
  std::int64_t phases = 1;  // number of phases
  // Number of pixels that the convolution computes, from FirstPixel() on: at least those that
  // outputs belong to.
  PhasePair pixels{};
  PhasePair window{};   // taps
  PhasePair pad{};      // padding in front of the input
  PhasePair pad_end{};  // padding behind it
};

// The convolutions of all phases, in order of the phases. If the window is a whole multiple of the
// stride, one convolution computes all phases; otherwise up to one for each phase is needed. A
// depthwise call needs one for each phase, because no fast kernel computes several results from one
// channel.
std::vector<PhaseConv> PhaseConvsOf(const ConvTransposeCall& call);

// True if there are several groups, each with one input and one output channel.
bool IsDepthwise(const ConvTransposeCall& call);

// Number of channels of the result.
std::int64_t ChannelsOf(const ConvTransposeCall& call);

// Reason why these convolutions cannot compute a call; empty if they can. The call must have one
// group or be depthwise, have at most two spatial axes, windows without dilation that are at least
// as long as the stride, and at least one product to sum.
std::string_view PhaseConvsRefusal(const ConvTransposeCall& call);

// Types and attributes of a convolution. The object must outlive the queries that it makes.
struct PhaseTypes {
  TensorType x, w, bias, y;
  Attributes attributes;

  PhaseTypes(const ConvTransposeCall& call, const PhaseConv& conv);

  // The query of the convolution. It asks for high precision, because Winograd's method has another
  // error bound. `bias_values` is null if there is no bias.
  [[nodiscard]] KernelQuery Query(const Tensor* weights, const Tensor* bias_values) const;
};

// The weights of a convolution, with `shape`: those of the call, [C, M, kh, kw], rearranged as
// [(phase, M), C, taps of the phase in reverse order]. A depthwise call has [C, 1, kh, kw], and the
// result is [C, 1, taps of the phase in reverse order].
Tensor PhaseWeights(const ConvTransposeCall& call, const PhaseConv& conv, const Tensor& weights,
                    const Shape& shape);

}  // namespace halftone
