// QLinearConvTranspose with channels last, as convolutions of its phases
// (kernels/conv_transpose/phase_convs.h): the chosen kernel computes each as a QLinearConv, and the
// results are put in order byte by byte. Sums of integers are exact, so the results have the bits
// of the definition.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// ByteConvTransposeRefusal() accepts one group or a depthwise call, channels last, with up to two
// spatial axes, windows at least as long as the stride, and constant weights, scales and biases.
// ByteConvTransposeLimits() accepts the same in any layout: lowering calls it before layouts are
// known.
std::string_view ByteConvTransposeLimits(const KernelQuery& query);
std::string_view ByteConvTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteConvTranspose(const KernelQuery& query);
std::size_t ByteConvTransposeScratchBytes(const KernelState& state);
void RunByteConvTranspose(const KernelArgs& args) noexcept;

}  // namespace halftone
