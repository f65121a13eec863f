// Transposed convolution as a matrix product with packed weights. The columns of the product are
// gathered into the result.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

std::string_view PackedConvTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PreparePackedConvTranspose(const KernelQuery& query,
                                                        const TileKernel& tile);
std::size_t PackedConvTransposeScratch(const KernelState& state);
void RunPackedConvTranspose(const KernelArgs& args) noexcept;

template <std::size_t tile>
std::unique_ptr<KernelState> PreparePackedConvTranspose(const KernelQuery& query) {
  return PreparePackedConvTranspose(query, kTileKernels[tile]);
}

}  // namespace halftone
