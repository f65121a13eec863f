// Transposed convolution whose taps never meet (windows as large as the strides, no padding): one
// matrix product, columns[(k, m), p] = sum over c of W[c, (k, m)] X[c, p], whose rows interleaved
// are the rows of the result. X is read as it lies.
#pragma once

#include "kernels/gemm/tile.h"
#include "kernels/kernel_table.h"

namespace halftone {

std::string_view DisjointConvTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareDisjointConvTranspose(const KernelQuery& query,
                                                          TileFormat format);
std::size_t DisjointConvTransposeScratch(const KernelState& state);
void RunDisjointConvTranspose(const KernelArgs& args) noexcept;

template <TileFormat format>
std::unique_ptr<KernelState> PrepareDisjointConvTranspose(const KernelQuery& query) {
  return PrepareDisjointConvTranspose(query, format);
}

}  // namespace halftone
