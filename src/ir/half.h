// Storage types of 16-bit floating point numbers. They have conversions but no arithmetic, so that
// code names the type in which it accumulates. Scalar and portable; kernels convert vectors with
// Highway.
#pragma once

#include <bit>
#include <cstdint>

namespace halftone {

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Largest finite 65504, least normal
// 2^-14, least subnormal 2^-24, unit roundoff 2^-11.
struct Float16 {
  std::uint16_t bits = 0;

  // Rounds to nearest, ties to even. Overflow becomes infinity; a NaN stays a (quiet) NaN.
  static constexpr Float16 FromFloat(float value);
  // Rounds once; a conversion by way of float would round twice.
  static constexpr Float16 FromDouble(double value);
  // Exact.
  [[nodiscard]] constexpr float ToFloat() const;

  friend constexpr bool operator==(Float16, Float16) = default;  // compares bits
};

// bfloat16: the upper half of a float32. Unit roundoff 2^-8; range of float32. Conversions round as
// those of Float16.
struct BFloat16 {
  std::uint16_t bits = 0;

  static constexpr BFloat16 FromFloat(float value);
  static constexpr BFloat16 FromDouble(double value);
  [[nodiscard]] constexpr float ToFloat() const;

  friend constexpr bool operator==(BFloat16, BFloat16) = default;
};

inline constexpr float kFloat16Max = 65504.0F;

namespace half_internal {

// Rounds `value` to float32 by rounding to odd: truncates it, and sets the last bit if anything was
// cut off. Rounding the result to a format with at most 22 fraction bits then gives the same as
// rounding `value` directly (Boldo and Melquiond, "When double rounding is odd", 2005).
constexpr float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value || back - back != 0) {
    return nearest;
  }
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool rounded_up = (value > 0) == (back > value);
  const std::uint32_t truncated = rounded_up ? bits - 1 : bits;
  return std::bit_cast<float>(truncated | 1U);
}

}  // namespace half_internal

constexpr Float16 Float16::FromFloat(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000U);
  const std::uint32_t magnitude = word & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {  // NaN: quiet it, keep the upper payload bits
    return {static_cast<std::uint16_t>(sign | 0x7e00U | ((magnitude >> 13) & 0x3ffU))};
  }
  if (magnitude >= 0x477ff000U) {  // 65520 and above round to infinity
    return {static_cast<std::uint16_t>(sign | 0x7c00U)};
  }
  if (magnitude < 0x33000001U) {  // at most 2^-25: rounds to zero (the tie goes to even)
    return {sign};
  }
  const int exponent = static_cast<int>(magnitude >> 23);
  const bool subnormal = exponent < 113;  // below 2^-14
  const std::uint32_t fraction = (magnitude & 0x7fffffU) | 0x800000U;
  const int shift = subnormal ? 126 - exponent : 13;
  const std::uint32_t kept = fraction >> shift;
  const std::uint32_t cut = fraction & ((1U << shift) - 1);
  const std::uint32_t half = 1U << (shift - 1);
  const std::uint32_t up = cut > half || (cut == half && (kept & 1U) != 0) ? 1 : 0;
  const std::uint32_t base =
      subnormal ? kept : kept - 0x400U + (static_cast<std::uint32_t>(exponent - 112) << 10);
  return {static_cast<std::uint16_t>(sign | (base + up))};
}

constexpr Float16 Float16::FromDouble(double value) {
  return FromFloat(half_internal::RoundToOdd(value));
}

constexpr float Float16::ToFloat() const {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fU;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0x1f) {
    return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  }
  const float magnitude = static_cast<float>(fraction) * 0x1.0p-24F;  // exact
  return sign != 0 ? -magnitude : magnitude;
}

constexpr BFloat16 BFloat16::FromFloat(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  if ((word & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<std::uint16_t>((word >> 16) | 0x40U)};
  }
  return {static_cast<std::uint16_t>((word + 0x7fffU + ((word >> 16) & 1U)) >> 16)};
}

constexpr BFloat16 BFloat16::FromDouble(double value) {
  return FromFloat(half_internal::RoundToOdd(value));
}

constexpr float BFloat16::ToFloat() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace halftone
