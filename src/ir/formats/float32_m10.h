// Number format float32_m10, for tests: float32 with 10 bits of mantissa. float32 kernels compute
// on its values. No target searches the format on its own.
#pragma once

#include <bit>
#include <cstdint>

#include "src/ir/format_row.h"

namespace halftone {

// Rounds to the nearest value of the format, ties to even. A value that rounds beyond the largest
// one becomes infinite.
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
