// Transposed convolution as a convolution of the pixels as they are: outputs that lie a stride
// apart are reached by the same taps, so that each remainder of the stride (phase) is a channel of
// its own of a convolution with channels last, whose result is shuffled into place. Phases with
// windows of other sizes, where the kernel is no multiple of the stride, are another convolution: a
// tap that is not there would multiply an infinite pixel by zero. No columns are written, and the
// convolutions are the best that there are.
//
// With C channels a group and T taps that reach an output, ceil(kernel / stride) along each axis:
//   |Y - exact| <= g(C T + 2) (sum |x w| + |b|), g as in conv_transpose.h, and one rounding to a
//   16-bit result: that of the direct convolution, with what its bfloat16 units flush
//   (kernels/conv/implicit_gemm.h). Checked by ConvTransposeTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Serves one group or depthwise, up to two spatial axes, and windows that are as long as the stride
// at least. Weights are finite: padding would multiply others by zero. The convolutions are those
// of the static order on this CPU, whatever instruction set a KernelPreference leaves.
std::string_view ConvTransposePhasesRefusal(const KernelQuery& query);
// Where products of weights and pixels are faster (KernelEntry::slower).
std::string_view ConvTransposePhasesSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareConvTransposePhases(const KernelQuery& query);
std::size_t ConvTransposePhasesScratch(const KernelState& state);
void RunConvTransposePhases(const KernelArgs& args) noexcept;

}  // namespace halftone
