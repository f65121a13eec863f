// Operand checks and column terms of oneDNN's entries on quantised data: the terms are added to,
// and multiplied with, the sums of oneDNN.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"
#include "kernels/quantized/operands.h"

namespace halftone {

inline constexpr std::int64_t kLibraryAlignment = 64;

constexpr std::int64_t RoundUpToLibrary(std::int64_t bytes) {
  return (bytes + kLibraryAlignment - 1) / kLibraryAlignment * kLibraryAlignment;
}

// Empty where all operands but A are constant, and B is int8 with zero points of 0 only.
std::string_view RefusalOfByteOperands(const KernelQuery& query);

// Terms of each column, padded to whole tiles.
struct ByteTerms {
  std::vector<std::int32_t> offset;
  std::vector<float> multiplier;
  std::int32_t y_zero = 0;
};

// `b_sums`: sums of the columns of B, for a zero point of A that oneDNN does not know; empty: it
// does.
ByteTerms ByteTermsOf(const KernelQuery& query, std::int64_t k, std::int64_t n,
                      const std::vector<std::int32_t>& b_sums);

}  // namespace halftone
