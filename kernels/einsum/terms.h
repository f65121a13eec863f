// Terms of an Einsum for its fast kernels: labels, and their roles in a product of two operands.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

using Labels = std::vector<int>;

// Labels of all terms, without axes of extent 1: such an axis of an operand broadcasts along the
// label, or adds nothing.
struct EinsumTerms {
  std::vector<Labels> inputs;
  Labels output;
  std::vector<std::int64_t> extents;  // per label

  [[nodiscard]] std::int64_t Elements(const Labels& labels) const;
};

EinsumTerms TermsOf(const KernelQuery& query);

bool HasLabel(const Labels& labels, int label);
Labels Joined(const Labels& first, const Labels& second, const Labels& third = {});

// The labels of a product of two operands, in the order of the result.
struct PairLabels {
  Labels batch;    // of both
  Labels rows;     // of the first one only
  Labels columns;  // of the second one only
};

PairLabels PairLabelsOf(const EinsumTerms& terms);

// Labels of an operand that the result does not have.
Labels SumsOf(const EinsumTerms& terms, std::size_t input);

// Empty where all terms have one dtype and no operand has a label twice.
std::string_view RefusalOfLabels(const KernelQuery& query, const EinsumTerms& terms);

// Empty where the call is a product of two operands of one dtype.
std::string_view RefusalOfPair(const KernelQuery& query, const EinsumTerms& terms);

// Most labels that the fast kernels serve.
inline constexpr std::size_t kMostLabels = 16;

// Most elements of a product that is computed by dot products: a tile of MatMul is 12 x 32.
inline constexpr std::int64_t kSmallMatrix = 16;

}  // namespace halftone
