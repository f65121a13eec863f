// Einsum: sums of products over labelled axes.
//
// The two operands are brought to the orders [batch, rows, sums] and [batch, sums, columns] unless
// they lie so, then multiplied; the product is brought to the order of the result. Moving elements
// is exact, so the error is that of the multiplication, with K terms a sum and S = sum_k |a b|:
//   matmul: the error of the MatMul kernel that the implementation mode chooses
//     (kernels/gemm/packed.h with alpha 1 and no bias): |error| <= g(K + 3) S; high_performance of
//     float16 adds (2 * 2^-8 + 2^-16) S or the terms of sums in float16; then one rounding to a
//     16-bit result.
//   dots: |error| <= g(K) S, then one rounding: each product passes at most K roundings in fp32.
//   multiply: one rounding, as there is nothing to sum.
//   transpose: none.
//   steps, of n operands, with R sums by ReduceSum (precise) before the n - 1 products:
//     |error| <= g(K + 4n + 2R) S, then one rounding to a 16-bit result. If two sums have errors d
//     and e relative to their sums of magnitudes, their product has (1 + d)(1 + e)(1 + f) - 1, with
//     f = g(k + 3) the error of its own sum of k terms; a ReduceSum adds g(2). Factors 1 + g(i)
//     multiply to 1 + g(sum of i). The k multiply to K, and each is at least 2 or belongs to a
//     product without a sum, so that their sum is at most K + n - 1. Partial results must be finite
//     in float32: an infinite or NaN one reaches the result even if the whole sum is finite.
//   reference: sums in double over all products of n operands: |error| <= u |y| + (K + n) 2^-53 S,
//     u that of the dtype; integers wrap.
// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1 and 3.4. Checked by
// EinsumTest.ErrorBound.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> EinsumKernels();

// Einsum as batched matrix products by a kernel of MatMul.
std::string_view EinsumMatMulRefusal(const KernelQuery& query);

// Selection of the MatMul kernel.
struct EinsumProduct {
  ImplMode mode = ImplMode::kDefault;
  IsaMask isa = kIsaAny;         // limit of its instruction sets
  std::string_view forced_name;  // kernel to take; empty: the first that serves
};

std::unique_ptr<KernelState> PrepareEinsumMatMul(const KernelQuery& query,
                                                 const EinsumProduct& product);
std::size_t EinsumMatMulScratch(const KernelState& state);
void RunEinsumMatMul(const KernelArgs& args) noexcept;

// Einsum as dot products of rows, for matrices of few elements and a matrix by a vector. Reads
// every element once and packs nothing.
std::string_view EinsumDotsRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumDots(const KernelQuery& query);
std::size_t EinsumDotsScratch(const KernelState& state);
void RunEinsumDots(const KernelArgs& args) noexcept;

// Einsum without sums, by the kernel of Mul.
std::string_view EinsumMultiplyRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumMultiply(const KernelQuery& query);
std::size_t EinsumMultiplyScratch(const KernelState& state);
void RunEinsumMultiply(const KernelArgs& args) noexcept;

// Einsum of one operand that only permutes its axes.
std::string_view EinsumTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumTranspose(const KernelQuery& query);
void RunEinsumTranspose(const KernelArgs& args) noexcept;

// Einsum of more than two operands, or with sums over labels of one operand, computed in steps by
// the kernels above and ReduceSum.
std::string_view EinsumStepsRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumSteps(const KernelQuery& query);
std::size_t EinsumStepsScratch(const KernelState& state);
void RunEinsumSteps(const KernelArgs& args) noexcept;

std::string_view EinsumReferenceRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumReference(const KernelQuery& query);
void RunEinsumReference(const KernelArgs& args) noexcept;

}  // namespace halftone
