// ConvInteger and QLinearConv with channels last by oneDNN: int32 sums of x less its zero point
// from the library, bias and rounding ours (kernels/quantized/byte_result.h), so that results are
// those of the own kernels to the bit. All operands but x are constant; weights are int8 without
// zero points. See conv_parts.h for the cut.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view LibraryByteConvRefusal(const KernelQuery& query);
// Where the own kernels are as fast and allocate nothing (KernelEntry::slower).
std::string_view LibraryByteConvSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareLibraryByteConv(const KernelQuery& query);
std::size_t LibraryByteConvScratchBytes(const KernelState& state);
void RunLibraryByteConv(const KernelArgs& args) noexcept;

}  // namespace halftone
