// QLinearConvTranspose with channels last, as convolutions of its phases
// (kernels/conv_transpose/phase_convs.h). The kernel that SelectKernel() chooses computes each of
// them as a QLinearConv; then the pixels of the results are put in order. Sums of integers are
// exact, so the results have the bits of the definition.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Reason why a call is not supported, whatever its layout; empty if it is. (Lowering asks before
// layouts are known.) A call must have one group or be depthwise, and have up to two spatial axes,
// undilated windows at least as long as the stride, padding no wider than the window, no residual,
// one scale and zero point of the input, and constant weights, weight scales, weight zero points
// and biases.
std::string_view ByteConvTransposeLimits(const KernelQuery& query);

// ByteConvTransposeLimits(), and the refusal of other layouts than channels last.
std::string_view ByteConvTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteConvTranspose(const KernelQuery& query);
std::size_t ByteConvTransposeScratchBytes(const KernelState& state);
void RunByteConvTranspose(const KernelArgs& args) noexcept;

}  // namespace halftone
