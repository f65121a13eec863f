// Transposed convolution whose taps do not overlap: windows are as large as the strides, and there
// is no padding. Each output then is one element of the matrix product
//   columns[(k, m), p] = sum over c of W[c, (k, m)] X[c, p],
// plus the bias. The rows of the product are interleaved to make the rows of the result. X is read
// in place.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

std::string_view DisjointConvTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareDisjointConvTranspose(const KernelQuery& query,
                                                          const TileKernel& tile);
std::size_t DisjointConvTransposeScratch(const KernelState& state);
void RunDisjointConvTranspose(const KernelArgs& args) noexcept;

template <std::size_t tile>
std::unique_ptr<KernelState> PrepareDisjointConvTranspose(const KernelQuery& query) {
  return PrepareDisjointConvTranspose(query, kTileKernels[tile]);
}

}  // namespace halftone
