// Recurrent operators by packed matrix products; what is computed and the bounds: recurrent.h.
#pragma once

#include "kernels/gemm/tile.h"
#include "kernels/kernel_table.h"

namespace halftone {

std::string_view PackedRecurrentRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PreparePackedRecurrent(const KernelQuery& query, TileFormat format);
std::size_t PackedRecurrentScratch(const KernelState& state);
void RunPackedRecurrent(const KernelArgs& args) noexcept;

template <TileFormat format>
std::unique_ptr<KernelState> PreparePackedRecurrent(const KernelQuery& query) {
  return PreparePackedRecurrent(query, format);
}

}  // namespace halftone
