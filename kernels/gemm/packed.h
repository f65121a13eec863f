// Matrix products on packed panels: the fast kernels of Gemm and MatMul, one for each tile and
// dtype.
//
// Error, with u = 2^-24, g(n) = n u / (1 - n u), c the element of C, S = sum_k |a b|:
//   Float32, float16 and bfloat16 operands that are multiplied as floats (16 bits are widened
//     exactly):
//       |Y - exact| <= g(K + 3) (|alpha| S + |beta c|), then one rounding to a 16-bit result.
//   Pairs of bfloat16 operands (TileStorage::kBFloat16Pairs): in addition what vdpbf16ps flushes to
//     zero, operands and sums below 2^-126: |alpha| * 2^-126 * (sum_k (|a| + |b|) + 2 K).
//   Pairs of bfloat16 from float16 operands: in addition (2 * 2^-8 + 2^-16) |alpha| S, because the
//     rounding changes each operand by at most 2^-8 of itself. (Float16 has no value that is
//     subnormal in bfloat16.)
//   Pairs of float16 (kFloat16Pairs), summed in float16 first (kernels/tile/float16_sums.h), with
//     n = ProductError::float16_roundings, v = 2^-11 and h = n v / (1 - n v): the first bound with
//     h + (1 + h) g(K + 3) in place of g(K + 3), plus 1.125 * 2^-25 |alpha| K. Sums in float16 of
//     65520 and more are infinite; Y is then infinite or NaN.
//   Float32 operands in bfloat16 parts (kFloat32Parts): ProductError of kernels/kernel_table.h.
//   With an epilogue: kernels/tile/epilogue.h.
// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1. Each product passes
// at most K roundings; blocks and parallel accumulators add at most 1; the scales by alpha and beta
// and the sum with the bias add one each. Checked by GemmTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/packed_weights.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

// `b` is the key under which the packed panels of a constant B are shared.
std::unique_ptr<KernelState> PreparePackedGemm(const KernelQuery& query, const TileKernel& tile,
                                               const PackedPlace& b);

template <std::size_t tile>
std::unique_ptr<KernelState> PreparePackedGemm(const KernelQuery& query) {
  return PreparePackedGemm(query, kTileKernels[tile], PlaceOfConstant(query, 1));
}

std::size_t PackedGemmScratchBytes(const KernelState& state);
void RunPackedGemm(const KernelArgs& args) noexcept;

}  // namespace halftone
