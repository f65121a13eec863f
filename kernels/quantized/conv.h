// ConvInteger and QLinearConv with channels last, as a matrix product whose rows are the windows,
// or depthwise. Weights must be constant. Padding has the value of the zero point of the input, so
// it adds nothing.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/quantized/byte_tile.h"

namespace halftone {

// Refuses groups of fewer than 8 output channels, which would leave most of a tile empty.
std::string_view ByteConvRefusal(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareByteConv(const KernelQuery& query, const ByteTileKernel& tile);

std::size_t ByteConvScratchBytes(const KernelState& state);
void RunByteConv(const KernelArgs& args) noexcept;

// Depthwise: each group has one input and one output channel. Windows have up to kMostDepthwiseTaps
// taps; scales, biases and the zero points of the weights are constant.
std::string_view ByteDepthwiseRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteDepthwise(const KernelQuery& query);
void RunByteDepthwise(const KernelArgs& args) noexcept;

// Depthwise with VNNI (depthwise_rows.cc). Also requires int8 weights with zero points of 0, a
// constant zero point of the input, and windows of up to 16 rows without dilation along a row.
std::string_view DepthwiseRowsRefusal(const KernelQuery& query);
std::string_view DepthwiseRowsSlower(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareDepthwiseRows(const KernelQuery& query);
void RunDepthwiseRows(const KernelArgs& args) noexcept;

}  // namespace halftone
