// Vector loops of the operators between quantised tensors. The loops treat all bytes as uint8: an
// int8 operand is xored with 128 (`flip`), and its zero point is 128 higher.
#pragma once

#include <cstdint>

#include "kernels/quantized/byte_scale.h"

namespace halftone {

// An operand. A byte stands for (byte ^ flip) - zero steps of its scale.
struct ByteSource {
  const void* data = nullptr;
  std::int64_t step = 1;  // between elements: 1, or 0 for a repeated element
  std::uint8_t flip = 0;
  std::int32_t zero = 0;
};

// The result: saturate(rint(v) + zero) ^ flip, where v, in steps of its scale, is first limited to
// the bounds.
struct ByteTarget {
  void* data = nullptr;
  std::uint8_t flip = 0;
  std::int32_t zero = 0;
  ByteBounds bounds = {};
};

inline ByteSource SourceOf(const ByteScale& scale, const void* data) {
  const bool is_signed = scale.dtype == DType::kInt8;
  return {.data = data,
          .flip = static_cast<std::uint8_t>(is_signed ? 0x80 : 0),
          .zero = scale.zero_point + (is_signed ? 128 : 0)};
}

inline ByteTarget TargetOf(const ByteScale& scale, void* data) {
  const ByteSource same = SourceOf(scale, data);
  return {.data = data, .flip = same.flip, .zero = same.zero};
}

// A run of QLinearAdd or QLinearMul.
struct BytePairs {
  ByteSource a, b;
  ByteTarget y;
  std::int64_t count = 0;
  float a_ratio = 1;     // scale of a over that of y; for sums
  float b_ratio = 1;     // scale of b over that of y; for sums
  float multiplier = 1;  // for products
};

void AddBytePairs(const BytePairs& pairs) noexcept;
void MultiplyBytePairs(const BytePairs& pairs) noexcept;

// y = x in steps of another scale: v = fl(steps * ratio).
void RescaleBytes(const ByteSource& x, const ByteTarget& y, float ratio,
                  std::int64_t count) noexcept;

// y[i] = table[x[i]]. `table` has 256 bytes.
void LookUpBytes(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                 std::int64_t count) noexcept;

// A window of pixels. The result of each of `channels` channels is the sum over its taps of (byte -
// zero point), times `multiplier`.
struct ByteWindowSums {
  const std::uint8_t* first = nullptr;  // first tap; not read without taps
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_pitch = 0;     // bytes between rows of taps
  std::int64_t column_pitch = 0;  // bytes between columns of taps
  ByteSource x;                   // its data is not read
  float multiplier = 1;
  std::int64_t channels = 0;

  [[nodiscard]] std::int64_t taps() const { return rows * columns; }
};

void AverageByteWindow(const ByteWindowSums& window, const ByteTarget& y) noexcept;

}  // namespace halftone
