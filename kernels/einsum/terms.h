// Terms of an Einsum for its fast kernels: labels, and their roles in a product of two operands.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

using Labels = std::vector<int>;

// Labels of all terms. Axes of extent 1 are left out: such an axis broadcasts along its label, or
// adds nothing.
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
  Labels batch;    // of both operands
  Labels rows;     // of the first operand only
  Labels columns;  // of the second operand only
};

PairLabels PairLabelsOf(const EinsumTerms& terms);

// Labels of an operand that the result does not have.
Labels SumsOf(const EinsumTerms& terms, std::size_t input);

// Accepts terms of one dtype with at most kMostLabels labels, none of them twice in an operand.
std::string_view RefusalOfLabels(const KernelQuery& query, const EinsumTerms& terms);

// Accepts what RefusalOfLabels() accepts, with two operands and with sums over labels of both
// alone.
std::string_view RefusalOfPair(const KernelQuery& query, const EinsumTerms& terms);

// Largest number of labels that the fast kernels accept.
inline constexpr std::size_t kMostLabels = 16;

// Largest number of elements of a product that dot products compute: a tile of MatMul is 12 x 32.
inline constexpr std::int64_t kSmallMatrix = 16;

}  // namespace halftone
