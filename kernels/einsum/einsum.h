// Einsum: sums of products over labelled axes.
//
// Two operands are permuted to [batch, rows, sums] and [batch, sums, columns], unless they have
// such an order already, and multiplied. The product is permuted to the order of the result. Moving
// elements is exact, so the error is that of the multiplication. With K terms in a sum,
// S = sum |a b|, u = 2^-24 and g(n) = n u / (1 - n u), entries have these bounds:
//   matmul: |error| <= g(K + 3) S, then one rounding to a 16-bit result. This is the error of the
//     MatMul kernel that the implementation mode chooses (kernels/gemm/packed.h with alpha 1 and no
//     bias), which may have further terms: in high_performance of float16 (2 * 2^-8 + 2^-16) S or
//     those of sums in float16, and those of ProductError (kernels/kernel_table.h).
//   dots: |error| <= g(K) S, then one rounding. Each product passes at most K roundings in fp32.
//   multiply: one rounding, because there is nothing to sum.
//   transpose: exact.
//   steps, for n operands and R sums by ReduceSum (precise) before the n - 1 products:
//     |error| <= g(K + 4n + 2R) S, then one rounding to a 16-bit result. Partial results must be
//     finite in float32: an infinite or NaN one reaches the result even if the whole sum is finite.
//     Derivation: errors are relative to sums of magnitudes. If two factors have errors d and e, a
//     sum of k of their products has the error (1 + d)(1 + e)(1 + g(k + 3)) - 1. A ReduceSum adds
//     g(2). Factors 1 + g(i) multiply to at most 1 + g(sum of i). The k of all steps multiply to K,
//     and a k is 1 only in a product without a sum; their sum is therefore at most K + n - 1.
//   reference: |error| <= v |y| + (K + n) 2^-53 S for n operands, with the unit roundoff v of the
//     dtype. It sums all products in double; integers wrap.
// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1 and 3.4.
// EinsumTest.ErrorBound checks the bounds.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> EinsumKernels();

// Einsum of two operands as batched matrix products, by a kernel of MatMul.
std::string_view EinsumMatMulRefusal(const KernelQuery& query);

// Selection of the MatMul kernel.
struct EinsumProduct {
  ImplMode mode = ImplMode::kDefault;
  IsaMask isa = kIsaAny;         // instruction sets that it may use
  std::string_view forced_name;  // kernel to take; empty: the first that takes the product
};

std::unique_ptr<KernelState> PrepareEinsumMatMul(const KernelQuery& query,
                                                 const EinsumProduct& product);
std::size_t EinsumMatMulScratch(const KernelState& state);
void RunEinsumMatMul(const KernelArgs& args) noexcept;

// Einsum of two operands as dot products of rows, for matrices of up to kSmallMatrix elements
// (terms.h) and for products of a matrix and a vector. It packs nothing.
std::string_view EinsumDotsRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumDots(const KernelQuery& query);
std::size_t EinsumDotsScratch(const KernelState& state);
void RunEinsumDots(const KernelArgs& args) noexcept;

// Einsum of two operands without sums, by the kernel of Mul.
std::string_view EinsumMultiplyRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumMultiply(const KernelQuery& query);
std::size_t EinsumMultiplyScratch(const KernelState& state);
void RunEinsumMultiply(const KernelArgs& args) noexcept;

// Einsum of one operand that only permutes its axes.
std::string_view EinsumTransposeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumTranspose(const KernelQuery& query);
void RunEinsumTranspose(const KernelArgs& args) noexcept;

// Einsum of more than two operands, or with sums over labels that only one operand has. The kernels
// above and ReduceSum compute it in steps.
std::string_view EinsumStepsRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumSteps(const KernelQuery& query);
std::size_t EinsumStepsScratch(const KernelState& state);
void RunEinsumSteps(const KernelArgs& args) noexcept;

std::string_view EinsumReferenceRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareEinsumReference(const KernelQuery& query);
void RunEinsumReference(const KernelArgs& args) noexcept;

}  // namespace halftone
