// ConvInteger and QLinearConv with channels last by oneDNN: int32 sums of x less its zero point
// from oneDNN, bias and rounding ours (kernels/quantized/byte_result.h), so that results equal
// those of the own kernels to the bit. All operands but x are constant; weights are int8 without
// zero points. conv_parts.h: the parts.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view LibraryByteConvRefusal(const KernelQuery& query);
// Why own kernels are as fast, without allocations; empty: they are not (KernelEntry::slower).
std::string_view LibraryByteConvSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLibraryByteConv(const KernelQuery& query);
std::size_t LibraryByteConvScratchBytes(const KernelState& state);
void RunLibraryByteConv(const KernelArgs& args) noexcept;

}  // namespace halftone
