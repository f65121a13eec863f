// ConvInteger and QLinearConv with channels last: as a matrix product whose rows are the windows,
// or depthwise. Weights must be constant. Padding has the value of the input's zero point, so it
// adds nothing.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/quantized/byte_tile.h"

namespace halftone {

// Refuses groups of fewer than 8 output channels, which would leave most of a tile empty.
std::string_view ByteConvRefusal(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareByteConv(const KernelQuery& query, const ByteTileKernel& tile);

std::size_t ByteConvScratchBytes(const KernelState& state);
void RunByteConv(const KernelArgs& args) noexcept;

// Depthwise: one input and one output channel a group; scales and the zero point of the weights are
// constant.
std::string_view ByteDepthwiseRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteDepthwise(const KernelQuery& query);
void RunByteDepthwise(const KernelArgs& args) noexcept;

// Depthwise with VNNI (depthwise_rows.cc): also needs int8 weights whose zero points are 0, and a
// constant zero point of the input.
std::string_view DepthwiseRowsRefusal(const KernelQuery& query);
std::string_view DepthwiseRowsSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareDepthwiseRows(const KernelQuery& query);
void RunDepthwiseRows(const KernelArgs& args) noexcept;

}  // namespace halftone
