// Integer precisions, which -quantization-precision names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "src/ir/dtype.h"
#include "src/qaic/node_choice.h"

namespace halftone {

struct IntegerPrecision {
  QaicPrecision precision = QaicPrecision::kInt8;
  std::string_view format;    // name of the format in plans of the host
  DType type = DType::kInt8;  // signed, as the compiler has it
  // Difference of a plan's zero point from the compiler's offset, because plans hold unsigned
  // integers.
  std::int32_t unsigned_shift = 0;
};

inline constexpr IntegerPrecision kIntegerPrecisions[] = {
    {QaicPrecision::kInt8, "qint8", DType::kInt8, 128},
    {QaicPrecision::kInt16, "qint16", DType::kInt16, 32768},
};

// The row of a precision. Null if it is no integer precision.
constexpr const IntegerPrecision* FindIntegers(QaicPrecision precision) {
  const auto* row = std::ranges::find(kIntegerPrecisions, precision, &IntegerPrecision::precision);
  return row == std::end(kIntegerPrecisions) ? nullptr : row;
}

// The row of a precision. Requires kInt8 or kInt16.
constexpr const IntegerPrecision& IntegersOf(QaicPrecision precision) {
  return *FindIntegers(precision);
}

constexpr bool IsQuantized(QaicPrecision precision) {
  return FindIntegers(precision) != nullptr;
}

}  // namespace halftone
