// 3x3 convolutions by Winograd's method, F(2x2, 3x3), on the dot units: four pixels of the result
// by 16 products instead of 36. Channels last.
//
// Tiles of 4x4 pixels are transformed in fp32 and rounded to bfloat16; weights are transformed once
// in double and rounded to bfloat16. 16 matrix products over the channels sum in fp32
// (kernels/tile/tile.h, kernels/tile/tile_pairs.h). Their sums are transformed back in fp32; then
// follow bias, activation and one rounding.
//
// Error, with u = 2^-24, g(n) = n u / (1 - n u), C input channels, X the largest |x| and W the sum
// of |w| over the weights of the channel, before the last rounding:
//   |Y - exact| <= 16 X W (e + (1 + e) g(C + 8)) + g(C + 8) |bias| + 2^-119 C (X + W + 1),
//   e = 2^-7 + 2^-16.
// Derivation: |A^T| [sum_c (|G| |g_c| |G^T|) . (|B^T| |d_c| |B|)] |A| is at most X W times the
// square of max over r, k of sum_i |A^T_ri| (sum_j |B^T_ij|) |G_ik| = 4. Each of its terms has two
// roundings to bfloat16, (1 + 2^-8)^2 - 1 = e, and the fp32 roundings on its path: 2 of B^T d B, C
// of the product, 4 of A^T m A, bias and scale. vdpbf16ps takes subnormal operands and results as
// zero, an error below 2^-126 for each sum, and for each of the 16 operands of either side, times
// the other operand. NaN and infinity reach every pixel of their tiles. With an epilogue:
// kernels/tile/epilogue.h. Checked by ConvTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Accepts 3x3 windows of stride 1 in one group, channels last, with constant weights and bias.
std::string_view WinogradConvRefusal(const KernelQuery& query);

// Reason why the direct method is faster; empty: it is not.
std::string_view WinogradConvSlower(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareWinogradConv(const KernelQuery& query);
std::size_t WinogradConvScratchBytes(const KernelState& state);
void RunWinogradConv(const KernelArgs& args) noexcept;

}  // namespace halftone
