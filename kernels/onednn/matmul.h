// Gemm and MatMul by oneDNN with a constant B, which is packed once. A float32 B is scaled by
// alpha; a constant C, the same for all rows, is scaled by beta. Threads and allocations:
// library.h.
//
// Error: the bounds of kernels/gemm/packed.h, for float32 that of operands multiplied as floats,
// for bfloat16 that of pairs. (Scaling by alpha rounds B instead of the sum, which is also one
// rounding of each product.) With an epilogue: kernels/tile/epilogue.h. Checked by
// GemmTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view LibraryMatMulRefusal(const KernelQuery& query);
// Reason why halftone's kernels are faster; empty if they are not (KernelEntry::slower).
std::string_view LibraryMatMulSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLibraryMatMul(const KernelQuery& query);
std::size_t LibraryMatMulScratchBytes(const KernelState& state);
void RunLibraryMatMul(const KernelArgs& args) noexcept;

}  // namespace halftone
