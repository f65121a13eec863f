// Integer arithmetic that is defined for all operands: it wraps modulo 2^bits, a division by zero
// gives 0, and so does a shift by the width or more.
#pragma once

#include <limits>
#include <type_traits>

namespace halftone {

// Unsigned type that is as wide as T, and at least as wide as unsigned int. Without it, the usual
// promotions would make products of small types signed.
template <typename T>
using Wrapping = std::make_unsigned_t<std::common_type_t<T, unsigned>>;

template <typename T>
constexpr T WrappingAdd(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}

template <typename T>
constexpr T WrappingSub(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}

template <typename T>
constexpr T WrappingMul(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

// The quotient, truncated toward zero; 0 for b = 0.
template <typename T>
constexpr T DivideOrZero(T a, T b) {
  if (b == 0) {
    return 0;
  }
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) {
      return WrappingSub(T{0}, a);  // the quotient of the least number does not fit
    }
  }
  return static_cast<T>(a / b);
}

// The remainder with the sign of the dividend, as % in C.
template <typename T>
constexpr T RemainderOrZero(T a, T b) {
  return WrappingSub(a, WrappingMul(DivideOrZero(a, b), b));
}

// The remainder with the sign of the divisor, as % in Python.
template <typename T>
constexpr T ModuloOrZero(T a, T b) {
  if (b == 0) {
    return 0;
  }
  const T remainder = RemainderOrZero(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? WrappingAdd(remainder, b) : remainder;
}

// a^b modulo 2^bits, by squaring. A negative exponent gives the reciprocal, truncated toward zero.
template <typename T>
constexpr T IntegerPower(T a, T b) {
  if (b < 0) {
    return a == 1 ? T{1} : (a == T(-1) ? ((b & 1) != 0 ? T(-1) : T{1}) : T{0});
  }
  T result = 1;
  for (; b > 0; b = static_cast<T>(b >> 1)) {
    if ((b & 1) != 0) {
      result = WrappingMul(result, a);
    }
    a = WrappingMul(a, a);
  }
  return result;
}

// a << b and a >> b on the bits as unsigned numbers; a shift by the width or more gives 0.
template <typename T>
constexpr T ShiftedLeft(T a, T b) {
  using Bits = std::make_unsigned_t<T>;
  const auto by = static_cast<Bits>(b);
  return by < std::numeric_limits<Bits>::digits
             ? static_cast<T>(static_cast<Wrapping<T>>(static_cast<Bits>(a)) << by)
             : T{0};
}

template <typename T>
constexpr T ShiftedRight(T a, T b) {
  using Bits = std::make_unsigned_t<T>;
  const auto by = static_cast<Bits>(b);
  return by < std::numeric_limits<Bits>::digits ? static_cast<T>(static_cast<Bits>(a) >> by) : T{0};
}

}  // namespace halftone
