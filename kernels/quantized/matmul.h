// MatMulInteger and QLinearMatMul on packed panels. A B that is computed at run time is packed in
// every run. Refuses scales and zero points that differ between rows of A or between batches.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/quantized/byte_tile.h"

namespace halftone {

std::string_view ByteMatMulRefusal(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareByteMatMul(const KernelQuery& query,
                                               const ByteTileKernel& tile);

std::size_t ByteMatMulScratchBytes(const KernelState& state);
void RunByteMatMul(const KernelArgs& args) noexcept;

}  // namespace halftone
