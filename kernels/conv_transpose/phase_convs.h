// The convolutions that make a transposed convolution by phases (phases.h): what each reads and
// sums. Of axes 1 and 2 of a call.
#pragma once

#include <array>
#include <vector>

#include "kernels/conv_transpose/conv_transpose.h"

namespace halftone {

using PhasePair = std::array<std::int64_t, 2>;

// Output o is phase (o + pad) % stride of pixel (o + pad) / stride; of two axes the phase is
// row * stride + column. The pixel of the first output:
PhasePair FirstPixel(const ConvTransposeCall& call);

// Neighbouring phases whose windows are as large: a channel of the convolution for each, by each
// channel of the result.
struct PhaseConv {
  std::int64_t first_phase = 0;
  std::int64_t phases = 1;
  PhasePair pixels{};  // of the result, from FirstPixel() on: at least those of outputs
  PhasePair window{};
  PhasePair pad{};
  PhasePair pad_end{};
};

// All phases, in order. Windows that are whole multiples of the stride take one convolution, others
// up to one for each phase. So does a depthwise call: several results of one channel have no fast
// form.
std::vector<PhaseConv> PhaseConvsOf(const ConvTransposeCall& call);

// Every group has one channel on each side, and there are several.
bool IsDepthwise(const ConvTransposeCall& call);

// Of the result.
std::int64_t ChannelsOf(const ConvTransposeCall& call);

// Types and attributes of a convolution; the object must outlive a query of it.
struct PhaseTypes {
  TensorType x, w, bias, y;
  Attributes attributes;

  PhaseTypes(const ConvTransposeCall& call, const PhaseConv& conv);

  // High precision unless the caller is told otherwise: Winograd's method has another bound.
  // `bias_values`: null for none.
  [[nodiscard]] KernelQuery Query(const Tensor* weights, const Tensor* bias_values) const;
};

// Weights [C, M, kh, kw] as [(phase, M), C, taps backwards]; of a depthwise call [C, 1, kh, kw] as
// [C, 1, taps backwards].
Tensor PhaseWeights(const ConvTransposeCall& call, const PhaseConv& conv, const Tensor& weights,
                    const Shape& shape);

}  // namespace halftone
