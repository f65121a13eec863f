// 3x3 convolutions by Winograd's method, F(2x2, 3x3), on the bf16 dot units, with channels last.
// Four pixels of the result take 16 products instead of 36.
//
// Tiles of 4x4 pixels are transformed in fp32 and rounded to bfloat16. Weights are transformed once
// in double and rounded to bfloat16. 16 matrix products over the channels sum in fp32
// (kernels/tile/tile.h, kernels/tile/tile_pairs.h). Their sums are transformed back in fp32; bias,
// activation and one rounding follow.
//
// Error before that rounding, with u = 2^-24, g(n) = n u / (1 - n u), C input channels, X the
// largest |x| and W the sum of |w| over the weights of the output channel:
//   |Y - exact| <= 16 X W (e + (1 + e) g(C + 8)) + g(C + 8) |bias| + 2^-119 C (X + W + 1),
//   e = 2^-7 + 2^-16
// An epilogue adds the terms of kernels/tile/epilogue.h. ConvTest.ErrorBound checks the bound. NaN
// and infinity reach every pixel of their tiles.
//
// Derivation, with the matrices of winograd_transforms.h:
// - The sum of all magnitudes, |A^T| [sum_c (|G| |g_c| |G^T|) . (|B^T| |d_c| |B|)] |A|, is at most
//   m^2 X W. m is the maximum over r and k of sum_i |A^T_ri| (sum_j |B^T_ij|) |G_ik|, which is 4.
// - Each term passes two roundings to bfloat16, (1 + 2^-8)^2 - 1 = e, and C + 8 roundings in fp32:
//   2 in B^T d B, C in the product, 4 in A^T m A, one each for bias and scale.
// - vdpbf16ps takes subnormal operands and results as zero. That is an error below 2^-126 for each
//   sum, and below 2^-126 times the other operand for each of the 16 operands on either side.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Accepts 3x3 windows without strides and dilation in one group, channels last, with constant
// weights and bias.
std::string_view WinogradConvRefusal(const KernelQuery& query);

// Reason why the direct method is faster, as KernelEntry::slower; empty: it is not.
std::string_view WinogradConvSlower(const KernelQuery& query);

std::unique_ptr<KernelState> PrepareWinogradConv(const KernelQuery& query);
std::size_t WinogradConvScratchBytes(const KernelState& state);
void RunWinogradConv(const KernelArgs& args) noexcept;

}  // namespace halftone
