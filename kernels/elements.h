// Helpers for elements of any dtype: a visitor that gets the element type, and conversions between
// elements and numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "src/ir/dtype.h"
#include "src/ir/half.h"

namespace halftone {

// Calls visit(T{}) with the element type of `dtype`.
template <typename Visit>
decltype(auto) VisitElement(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::kFloat32:
      return visit(float{});
    case DType::kFloat16:
      return visit(Float16{});
    case DType::kBFloat16:
      return visit(BFloat16{});
    case DType::kFloat64:
      return visit(double{});
    case DType::kInt8:
      return visit(std::int8_t{});
    case DType::kUInt8:
      return visit(std::uint8_t{});
    case DType::kInt16:
      return visit(std::int16_t{});
    case DType::kUInt16:
      return visit(std::uint16_t{});
    case DType::kInt32:
      return visit(std::int32_t{});
    case DType::kUInt32:
      return visit(std::uint32_t{});
    case DType::kInt64:
      return visit(std::int64_t{});
    case DType::kUInt64:
      return visit(std::uint64_t{});
    default:
      return visit(bool{});
  }
}

// Calls visit(T{}) with an unsigned type of `bytes` (1, 2, 4 or 8), to move elements unchanged.
template <typename Visit>
decltype(auto) VisitElementBytes(std::size_t bytes, const Visit& visit) {
  switch (bytes) {
    case 1:
      return visit(std::uint8_t{});
    case 2:
      return visit(std::uint16_t{});
    case 4:
      return visit(std::uint32_t{});
    default:
      return visit(std::uint64_t{});
  }
}

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <typename T>
inline constexpr bool kIsFloatElement = kIsHalf<T> || std::is_floating_point_v<T>;

// The exact value of an element: a double for floats, an std::int64_t or std::uint64_t for
// integers.
template <typename T>
constexpr auto NumberOf(T x) {
  if constexpr (kIsHalf<T>) {
    return static_cast<double>(x.ToFloat());
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(x);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<std::uint64_t>(x);
  } else {
    return static_cast<std::int64_t>(x);
  }
}

// The element with the value of a number. A float is rounded once; an integer keeps the low bits.
template <typename T, typename Number>
constexpr T ElementOf(Number value) {
  if constexpr (kIsHalf<T>) {
    return T::FromDouble(static_cast<double>(value));
  } else {
    return static_cast<T>(value);
  }
}

// Position from 0 that element `index` of `indices` names on an axis of `extent`. Negative values
// count from the end; the result is -1 for a value outside the axis. `wide` indices are int64,
// others int32.
inline std::int64_t IndexInAxis(const void* indices, bool wide, std::int64_t index,
                                std::int64_t extent) noexcept {
  std::int64_t value = wide ? static_cast<const std::int64_t*>(indices)[index]
                            : static_cast<const std::int32_t*>(indices)[index];
  value += value < 0 ? extent : 0;
  return value >= 0 && value < extent ? value : -1;
}

}  // namespace halftone
