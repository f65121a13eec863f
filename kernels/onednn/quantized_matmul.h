// MatMulInteger and QLinearMatMul by oneDNN. oneDNN computes the int32 sums; halftone corrects for
// zero points and rounds (kernels/quantized/byte_result.h). So results equal those of halftone's
// kernels bit for bit. All operands except A and the residual are constant; B is int8 with zero
// points of 0.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view LibraryByteMatMulRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLibraryByteMatMul(const KernelQuery& query);
std::size_t LibraryByteMatMulScratchBytes(const KernelState& state);
void RunLibraryByteMatMul(const KernelArgs& args) noexcept;

}  // namespace halftone
