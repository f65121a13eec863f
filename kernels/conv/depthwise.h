// Convolution with one input channel per group, plane by plane, in vectors along the width.
//
// Error: |Y - exact| <= g(taps + 2) (sum |x w| + |bias|), with g as in implicit_gemm.h, then one
// rounding to a 16-bit result. Operands in float32, float16 and bfloat16 are exact in fp32; each
// sum is in fp32 and begins with the bias. ConvTest.ErrorBound checks the bound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Accepts channels first with at most 4 output channels per group, 1 or 2 spatial axes, and
// constant weights and bias.
std::string_view DepthwiseRefusal(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareDepthwise(const KernelQuery& query);
std::size_t DepthwiseScratchBytes(const KernelState& state);
void RunDepthwise(const KernelArgs& args) noexcept;

}  // namespace halftone
