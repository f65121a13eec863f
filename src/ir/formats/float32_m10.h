// Float32 with 10 bits of mantissa, for tests: a format that is exact by construction, since
// kernels of float32 compute in it. No target searches it by itself.
#pragma once

#include <bit>
#include <cstdint>

#include "src/ir/format_row.h"

namespace halftone {

// Nearest value, ties to even: rounds the lowest 13 bits away. Values beyond the largest become
// infinite.
inline float RoundToFloat32M10(float value) {
  constexpr std::uint32_t kGone = 13;
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & kExponent) != kExponent) {  // infinities and NaN stay
    const std::uint32_t odd = bits >> kGone & 1;
    bits = (bits + (1U << (kGone - 1)) - 1 + odd) >> kGone << kGone;
  }
  return std::bit_cast<float>(bits);
}

inline constexpr FormatRow kFloat32M10{.name = "float32_m10",
                                       .dtype = DType::kFloat32,
                                       .mantissa_bits = 10,
                                       .smallest_normal = 0x1p-126,
                                       .largest = 0x1.ffcp127,
                                       .round = RoundToFloat32M10};

}  // namespace halftone
