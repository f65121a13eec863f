// QLinearConvTranspose with channels last, as convolutions of its phases
// (kernels/conv_transpose/phase_convs.h): each is a QLinearConv by the kernel that is chosen for
// it, and their results are put in order, a byte an element. Sums of integers are exact, so that
// the bits are those of the definition.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Refuses all but one group or depthwise, up to two spatial axes, windows at least as long as the
// stride, and constant weights, scales and biases.
// Limits are the same, of either layout: for lowering, which knows no layout yet.
std::string_view ByteConvTransposeLimits(const KernelQuery& query);
std::string_view ByteConvTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteConvTranspose(const KernelQuery& query);
std::size_t ByteConvTransposeScratchBytes(const KernelState& state);
void RunByteConvTranspose(const KernelArgs& args) noexcept;

}  // namespace halftone
