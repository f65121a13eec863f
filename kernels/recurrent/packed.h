// Recurrent operators on packed matrix products; definitions and bounds: recurrent.h.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

std::string_view PackedRecurrentRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PreparePackedRecurrent(const KernelQuery& query,
                                                    const TileKernel& tile);
std::size_t PackedRecurrentScratch(const KernelState& state);
void RunPackedRecurrent(const KernelArgs& args) noexcept;

template <std::size_t tile>
std::unique_ptr<KernelState> PreparePackedRecurrent(const KernelQuery& query) {
  return PreparePackedRecurrent(query, kTileKernels[tile]);
}

}  // namespace halftone
