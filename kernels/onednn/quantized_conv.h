// ConvInteger and QLinearConv with channels last by oneDNN. oneDNN computes the int32 sums of x
// less its zero point; halftone adds the bias and rounds (kernels/quantized/byte_result.h). So
// results equal those of halftone's kernels bit for bit. All operands except x and the residual are
// constant; weights are int8 with zero points of 0. Parts: conv_parts.h.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view LibraryByteConvRefusal(const KernelQuery& query);
// Reason why halftone's kernels, which do not allocate, are as fast; empty if they are not
// (KernelEntry::slower).
std::string_view LibraryByteConvSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLibraryByteConv(const KernelQuery& query);
std::size_t LibraryByteConvScratchBytes(const KernelState& state);
void RunLibraryByteConv(const KernelArgs& args) noexcept;

}  // namespace halftone
