// Convolution with channels last by oneDNN: generated code for the CPU at hand, constant weights
// packed once. See library.h for threads and allocations, conv_parts.h for the cut.
//
// Error, with u = 2^-24, g(n) = n u / (1 - n u), K = in channels per group x taps, S = sum |x w|:
//   direct, float32 and bfloat16: |Y - exact| <= g(K + 2) (S + |bias|), then one rounding to a
//     16-bit result. Products of bfloat16 are exact in fp32, sums are fp32 in both.
//   bfloat16 in addition 2^-126 (sum (|x| + |w|) + 2 K): vdpbf16ps flushes subnormal numbers.
// Derivation: kernels/gemm/packed.h. Checked by ConvTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view LibraryConvRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLibraryConv(const KernelQuery& query);
std::size_t LibraryConvScratchBytes(const KernelState& state);
void RunLibraryConv(const KernelArgs& args) noexcept;

}  // namespace halftone
