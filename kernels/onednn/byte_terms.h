// Operand checks and column terms of the kernels that run quantised products on oneDNN. The terms
// are added to the int32 sums of oneDNN and multiplied with them.
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

// Empty if B is int8 with zero points of 0, and all operands except A and the residual are
// constant; else the reason for a refusal.
std::string_view RefusalOfByteOperands(const KernelQuery& query);

// Terms of each column, padded to a multiple of kByteResultPadding. A result is rint((sum + offset)
// * multiplier) + y_zero.
struct ByteTerms {
  std::vector<std::int32_t> offset;
  std::vector<float> multiplier;
  std::int32_t y_zero = 0;
};

// `b_sums`: the sum of each column of B, for the correction by the zero point of A; empty if oneDNN
// makes that correction.
ByteTerms ByteTermsOf(const KernelQuery& query, std::int64_t k, std::int64_t n,
                      const std::vector<std::int32_t>& b_sums);

}  // namespace halftone
