// Convolution as a matrix product: the weights [out channels, in channels x taps] times the values
// under each tap [in channels x taps, pixels]. The right operand is gathered panel by panel.
//
// Error, with u = 2^-24, g(n) = n u / (1 - n u), K = in channels per group x taps, S = sum |x w|:
//   Operands that are multiplied as floats: |Y - exact| <= g(K + 2) (S + |bias|), then one rounding
//     to a 16-bit result.
//   Pairs of bfloat16: in addition 2^-126 (sum (|x| + |w|) + 2 K), because vdpbf16ps flushes
//     subnormals to zero.
//   Pairs of bfloat16 from float16 operands: in addition (2 * 2^-8 + 2^-16) S, because the operands
//     are rounded.
//   Pairs of float16: the first bound with the changes of kernels/gemm/packed.h.
// An epilogue adds the terms of kernels/tile/epilogue.h. kernels/gemm/packed.h has the derivation;
// ConvTest.ErrorBound checks the bound.
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
