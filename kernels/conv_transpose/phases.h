// Transposed convolution as direct convolutions of the input pixels: the same taps reach all
// outputs a stride apart, so each remainder of the stride (phase) is a channel of a convolution
// with channels last, whose result is shuffled into place. If the kernel is no multiple of the
// stride, phases with another window size take another convolution: padding the window with a zero
// tap would multiply an infinite pixel by zero. No columns are written, and the convolutions use
// the best kernels.
//
// With C channels a group and T taps that reach an output, ceil(kernel / stride) along each axis:
//   |Y - exact| <= g(C T + 2) (sum |x w| + |b|), g as in conv_transpose.h, and one rounding to a
//   16-bit result. This is the bound of the direct convolution; bfloat16 units also flush
//   subnormals (kernels/conv/implicit_gemm.h). Checked by ConvTransposeTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Accepts one group or a depthwise call, up to two spatial axes, and windows at least as long as
// the stride. Weights must be finite, because padding would multiply an infinite weight by zero.
// The convolutions run the kernels of the static order on this CPU, whatever instruction sets a
// KernelPreference allows.
std::string_view ConvTransposePhasesRefusal(const KernelQuery& query);
// Reason why products of weights and pixels are faster (KernelEntry::slower); empty: they are not.
std::string_view ConvTransposePhasesSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareConvTransposePhases(const KernelQuery& query);
std::size_t ConvTransposePhasesScratch(const KernelState& state);
void RunConvTransposePhases(const KernelArgs& args) noexcept;

}  // namespace halftone
