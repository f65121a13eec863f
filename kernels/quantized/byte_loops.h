// Vector loops of the operators between quantised tensors. All bytes are seen as uint8: int8 is
// xored with 128, which shifts its zero point by 128 (SeenAsUnsigned), so that no loop knows signs.
#pragma once

#include <cstdint>

#include "kernels/quantized/byte_scale.h"

namespace halftone {

// An operand: (byte ^ flip) - zero steps.
struct ByteSource {
  const void* data = nullptr;
  std::int64_t step = 1;  // between elements: 1, or 0 for a repeated element
  std::uint8_t flip = 0;
  std::int32_t zero = 0;
};

// The result: saturate(rint(v) + zero) ^ flip, v within bounds in steps of its scale.
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
  float a_ratio = 1;  // of sums
  float b_ratio = 1;
  float multiplier = 1;  // of products
};

void AddBytePairs(const BytePairs& pairs) noexcept;
void MultiplyBytePairs(const BytePairs& pairs) noexcept;

// y = x in steps of another scale: fl(steps * ratio).
void RescaleBytes(const ByteSource& x, const ByteTarget& y, float ratio,
                  std::int64_t count) noexcept;

// y[i] = table[x[i]]; `table` has 256 bytes.
void LookUpBytes(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                 std::int64_t count) noexcept;

// A window of channels: for each of `channels` channels, the sum over its taps of byte less zero
// point, times the multiplier.
struct ByteWindowSums {
  const std::uint8_t* first = nullptr;  // first tap; not read if there is none
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_pitch = 0;  // bytes between taps
  std::int64_t column_pitch = 0;
  ByteSource x;  // its data is not read
  float multiplier = 1;
  std::int64_t channels = 0;

  [[nodiscard]] std::int64_t taps() const { return rows * columns; }
};

void AverageByteWindow(const ByteWindowSums& window, const ByteTarget& y) noexcept;

}  // namespace halftone
