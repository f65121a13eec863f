// Convolution with channels last, [N, H, W, C], on the register tile of the matrix product
// (kernels/tile/tile_kernel.h): output pixels are gathered as rows of taps and channels, a row tile
// at a time, and multiplied with the weights in panels of output channels. A 1x1 in the multiplied
// type reads its input in place.
//
// Products and sums in fp32, then bias, activation and one rounding, as in
// kernels/conv/implicit_gemm.h, whose bound for each format holds: |error| <= Gamma(k + 2) * sum of
// |x * w| before the last rounding. Pairs for float16 operands add 2^-7 of that sum; sums in
// float16 add the terms of kernels/gemm/packed.h.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

// Refusal of every kernel of channels last: needs this layout, constant weights and bias.
std::string_view ChannelsLastRefusal(const KernelQuery& query);

// Refuses what ChannelsLastRefusal() refuses, and groups of only a few channels.
std::string_view ChannelsLastConvRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareChannelsLastConv(const KernelQuery& query,
                                                     const TileKernel& tile);

template <std::size_t tile>
std::unique_ptr<KernelState> PrepareChannelsLastConv(const KernelQuery& query) {
  return PrepareChannelsLastConv(query, kTileKernels[tile]);
}

std::size_t ChannelsLastConvScratchBytes(const KernelState& state);
void RunChannelsLastConv(const KernelArgs& args) noexcept;

}  // namespace halftone
