// Rounding to quantised integers, the one definition for scalar and vector code.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

struct IntegerRange {
  std::int32_t low = 0;
  std::int32_t high = 0;
};

// Range of int8, uint8, int16 or uint16.
constexpr IntegerRange RangeOfInteger(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return {-128, 127};
    case DType::kUInt8:
      return {0, 255};
    case DType::kInt16:
      return {-32768, 32767};
    default:
      return {0, 65535};
  }
}

// saturate(rint(v) + zero_point), half to even. Saturates before it rounds: the bounds are whole
// numbers, so the result is the same, and nothing overflows. NaN becomes the least value, as in
// ONNX Runtime.
inline std::int32_t Quantized(float v, std::int32_t zero_point, IntegerRange range) {
  const auto least = static_cast<float>(range.low - zero_point);
  const auto most = static_cast<float>(range.high - zero_point);
  const float above = v > least ? v : least;
  const float within = above < most ? above : most;
  return static_cast<std::int32_t>(std::nearbyint(within)) + zero_point;
}

// Factor of an int32 sum of products: a product and a quotient in float32, as in ONNX Runtime, so
// that a model gives the same integers in both.
inline float Multiplier(float a_scale, float b_scale, float y_scale) {
  return a_scale * b_scale / y_scale;
}

// Reduces an integer modulo 2^32, as all kernels reduce their sums.
constexpr std::int32_t Wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

}  // namespace halftone
