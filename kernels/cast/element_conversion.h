// Conversion of one element between any two dtypes: the definition of Cast.
//
//   float -> float      rounded once to nearest, ties to even; overflow becomes infinity
//   float -> integer    truncated toward zero; values that do not fit, which ONNX leaves undefined,
//                       saturate, and NaN becomes 0
//   integer -> float    rounded once to nearest, ties to even
//   integer -> integer  the low bits, as a cast in C does
//   any -> bool         true unless the element is zero (NaN gives true)
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/elements.h"
#include "src/ir/half.h"

namespace halftone {

// Storage of a bool, read as a byte because a file may hold values other than 0 and 1.
struct BoolByte {
  std::uint8_t byte = 0;
};

namespace conversion_internal {

// Converts a 64-bit integer to a double such that rounding the double to at most 11 significant
// bits equals rounding the integer. The double is exact below 2^53; beyond, the low 16 bits are
// folded into one sticky bit.
template <typename Integer>
constexpr double StickyDouble(Integer value) {
  const bool negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(+value);
  const std::uint64_t magnitude = negative ? std::uint64_t{0} - bits : bits;
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  double result = static_cast<double>(magnitude);
  if (magnitude >= kExact) {
    const std::uint64_t sticky = (magnitude & 0xffffU) != 0 ? 1 : 0;
    result = static_cast<double>((magnitude >> 16) | sticky) * 65536.0;  // exact: 48 bits
  }
  return negative ? -result : result;
}

template <typename To, typename From>
constexpr To SaturatedInteger(From value) {
  // The bounds as floating-point numbers: min and max + 1 are powers of two (or 0), so they are
  // exact.
  constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
  constexpr To kHalfOfAbove = std::numeric_limits<To>::max() / 2 + 1;
  constexpr From kAbove = static_cast<From>(kHalfOfAbove) * From{2};
  if (!(value == value)) {
    return 0;
  }
  if (value <= kLow) {
    return std::numeric_limits<To>::min();
  }
  return value >= kAbove ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

}  // namespace conversion_internal

template <typename To, typename From>
constexpr To ConvertElement(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, BoolByte>) {
    return ConvertElement<To>(static_cast<std::uint8_t>(value.byte != 0 ? 1 : 0));
  } else if constexpr (kIsHalf<From>) {
    return ConvertElement<To>(value.ToFloat());
  } else if constexpr (std::is_same_v<To, BoolByte>) {
    return {static_cast<std::uint8_t>(value != 0 ? 1 : 0)};
  } else if constexpr (kIsHalf<To>) {
    if constexpr (std::is_same_v<From, float>) {
      return To::FromFloat(value);
    } else if constexpr (std::is_same_v<From, double>) {
      return To::FromDouble(value);
    } else {
      return To::FromDouble(conversion_internal::StickyDouble(value));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return conversion_internal::SaturatedInteger<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace halftone
