// Transposed convolution as a matrix product of packed weights, and a gather of its columns.
#pragma once

#include "kernels/gemm/tile.h"
#include "kernels/kernel_table.h"

namespace halftone {

std::string_view PackedConvTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PreparePackedConvTranspose(const KernelQuery& query,
                                                        TileFormat format);
std::size_t PackedConvTransposeScratch(const KernelState& state);
void RunPackedConvTranspose(const KernelArgs& args) noexcept;

template <TileFormat format>
std::unique_ptr<KernelState> PreparePackedConvTranspose(const KernelQuery& query) {
  return PreparePackedConvTranspose(query, format);
}

}  // namespace halftone
