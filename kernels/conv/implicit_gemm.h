// Convolution as a matrix product whose right operand is gathered panel by panel: the weights
// [out channels, in channels x taps] times the values under each tap [in channels x taps, pixels].
//
// Error, with u = 2^-24, g(n) = n u / (1 - n u), K = in channels per group x taps, S = sum |x w|:
//   float32, float16, bfloat16: |Y - exact| <= g(K + 2) (S + |bias|), then one rounding to a
//     16-bit result.
//   pairs of bfloat16: the same plus 2^-126 (sum (|x| + |w|) + 2 K): vdpbf16ps flushes subnormals.
//   pairs of bfloat16 from float16 operands, rounded first: in addition (2 * 2^-8 + 2^-16) S.
//   pairs of float16: in addition the terms of kernels/gemm/packed.h.
// With an epilogue: kernels/tile/epilogue.h. Derivation: kernels/gemm/packed.h. Checked by
// ConvTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

// Accepts channels first with 1 to 3 spatial axes.
std::string_view ImplicitGemmRefusal(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareImplicitGemm(const KernelQuery& query, const TileKernel& tile);

template <std::size_t tile>
std::unique_ptr<KernelState> PrepareImplicitGemm(const KernelQuery& query) {
  return PrepareImplicitGemm(query, kTileKernels[tile]);
}

std::size_t ImplicitGemmScratchBytes(const KernelState& state);
void RunImplicitGemm(const KernelArgs& args) noexcept;

}  // namespace halftone
