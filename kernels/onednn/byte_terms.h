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

// Accepts calls whose operands other than A are all constant, with an int8 B whose zero points are
// 0.
std::string_view RefusalOfByteOperands(const KernelQuery& query);

// Terms of each column, padded to a multiple of kByteResultPadding.
struct ByteTerms {
  std::vector<std::int32_t> offset;
  std::vector<float> multiplier;
  std::int32_t y_zero = 0;
};

// `b_sums`: sums of the columns of B, which correct for the zero point of A; empty if oneDNN
// corrects for it.
ByteTerms ByteTermsOf(const KernelQuery& query, std::int64_t k, std::int64_t n,
                      const std::vector<std::int32_t>& b_sums);

}  // namespace halftone
