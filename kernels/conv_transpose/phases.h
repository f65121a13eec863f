// Transposed convolution as direct convolutions of the input.
//
// Outputs that are a stride apart are reached by the same taps. Outputs with one remainder of the
// stride (a phase) are therefore the result of a convolution of the input. One convolution with
// channels last computes several phases as channels, and its result is shuffled into place. If the
// window is no multiple of the stride, phases have windows of different sizes and take several
// convolutions: a zero tap, added to make sizes equal, would multiply an infinite pixel by zero. No
// columns are written, and the convolutions use the best kernels.
//
// Error, with C channels in a group, T taps that reach an output (ceil(kernel / stride) along each
// axis) and g as in conv_transpose.h:
//   |Y - exact| <= g(C T + 2) (sum |x w| + |b|), and one rounding to a 16-bit result.
// This is the bound of the direct convolution; the bf16 dot units also flush subnormals
// (kernels/conv/implicit_gemm.h). ConvTransposeTest.ErrorBound checks the bound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Accepts calls without a PhaseConvsRefusal() (phase_convs.h) whose weights and bias are constant.
// Weights must be finite, because the padding multiplies them by zero. The convolutions run the
// kernels of the static order on this CPU, whatever instruction sets a KernelPreference allows.
std::string_view ConvTransposePhasesRefusal(const KernelQuery& query);
// Reason why the packed entries are faster (KernelEntry::slower); empty: they are not.
std::string_view ConvTransposePhasesSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareConvTransposePhases(const KernelQuery& query);
std::size_t ConvTransposePhasesScratch(const KernelState& state);
void RunConvTransposePhases(const KernelArgs& args) noexcept;

}  // namespace halftone
