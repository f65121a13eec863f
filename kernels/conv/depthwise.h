// Convolution with one input channel per group, over the width of each plane.
//
// Error: |Y - exact| <= g(taps + 2) (sum |x w| + |bias|), g as in implicit_gemm.h: operands of all
// three types are exact in fp32, products are fused into an fp32 sum that starts at the bias; then
// one rounding to a 16-bit result. Checked by ConvTest.ErrorBound.
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
