// Terms of an Einsum for its fast kernels: labels, and their roles in a product of two operands.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

using Labels = std::vector<int>;

// Labels of the axes of all operands and of the result. Axes of extent 1 are left out: such an axis
// broadcasts along its label, or has no effect.
struct EinsumTerms {
  std::vector<Labels> inputs;
  Labels output;
  std::vector<std::int64_t> extents;  // by label

  // Number of elements of a tensor with these labels.
  [[nodiscard]] std::int64_t Elements(const Labels& labels) const;
};

EinsumTerms TermsOf(const KernelQuery& query);

bool HasLabel(const Labels& labels, int label);
Labels Joined(const Labels& first, const Labels& second, const Labels& third = {});

// The labels of the result of a product of two operands, in the order of the result, by the operand
// that has them.
struct PairLabels {
  Labels batch;    // both operands
  Labels rows;     // the first operand only
  Labels columns;  // the second operand only
};

PairLabels PairLabelsOf(const EinsumTerms& terms);

// Labels of an operand that the result does not have.
Labels SumsOf(const EinsumTerms& terms, std::size_t input);

// Accepts terms of one dtype with at most kMostLabels labels, none of them twice in an operand.
std::string_view RefusalOfLabels(const KernelQuery& query, const EinsumTerms& terms);

// Accepts what RefusalOfLabels() accepts if there are two operands, and both have every label that
// is summed.
std::string_view RefusalOfPair(const KernelQuery& query, const EinsumTerms& terms);

// Largest number of labels that the fast kernels accept.
inline constexpr std::size_t kMostLabels = 16;

// Largest number of elements of a matrix that dot products compute. It is much less than a tile of
// MatMul, 12 x 32.
inline constexpr std::int64_t kSmallMatrix = 16;

}  // namespace halftone
