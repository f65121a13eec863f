// MaxPool and AveragePool of floating types with channels first, by rows of each plane.
//
// A maximum is exact (NaN stays NaN). An average is summed in float32 and divided once:
//   |Y - exact| <= g(taps + 1) * (sum |x|) / count,  g(n) = n u / (1 - n u), u = 2^-24,
// then one rounding to a 16-bit result. Source: Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., 4.2. Checked by PoolTest.ErrorBound.
//
// Each column of the window is summed first, then the columns are summed; kernels for channels last
// do the same. This takes fewer roundings per sum. It is also the order of ONNX Runtime, which
// matters for quantised networks. Averages of 2x2 integers times a scale often lie in the middle
// between two integers. The last bit of such a sum decides how a following QuantizeLinear rounds it
// (micro-kws-qdq: a step of the output).
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Refuses channels last and a second output.
std::string_view WindowedPoolRefusal(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareWindowedPool(const KernelQuery& query);
std::size_t WindowedPoolScratchBytes(const KernelState& state);
void RunWindowedPool(const KernelArgs& args) noexcept;

}  // namespace halftone
