// Gemm and MatMul by oneDNN with a constant B, packed once; alpha is folded into a float32 B, beta
// into a constant C that is the same for all rows. See library.h for threads and allocations.
//
// Error: the bounds of kernels/gemm/packed.h, that of float32 for float32 and that of pairs for
// bfloat16. (alpha rounds B in place of the sum, which is also one rounding of each product.) With
// an epilogue: kernels/tile/epilogue.h. Checked by GemmTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view LibraryMatMulRefusal(const KernelQuery& query);
// Reason why halftone's kernels are faster; empty: they are not (KernelEntry::slower).
std::string_view LibraryMatMulSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLibraryMatMul(const KernelQuery& query);
std::size_t LibraryMatMulScratchBytes(const KernelState& state);
void RunLibraryMatMul(const KernelArgs& args) noexcept;

}  // namespace halftone
