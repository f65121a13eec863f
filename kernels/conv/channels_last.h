// Convolution with channels last, [N, H, W, C], on the register tile of the matrix product
// (kernels/tile/tile_kernel.h). The window of each output pixel is gathered as a row of taps and
// channels, a row tile at a time. The rows are multiplied with the weights in panels of output
// channels. A 1x1 convolution without strides and padding, whose input has the type that the tile
// multiplies, reads its input in place.
//
// Products and sums are in fp32; bias, activation and one rounding follow. The error bounds are
// those of kernels/conv/implicit_gemm.h.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

// Refusal that all kernels with channels last share: they need this layout, weights that are
// constant and not empty, and a constant bias if there is one.
std::string_view ChannelsLastRefusal(const KernelQuery& query);

// Refuses what ChannelsLastRefusal() refuses, and several groups with fewer than kTileColumns / 4
// output channels each.
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
