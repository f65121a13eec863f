// Vector loops of QLinearResize. One blends rows of bytes to a row of float32; the other blends
// columns of that row to bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/quantized/byte_loops.h"
#include "kernels/resize/separable_taps.h"

namespace halftone {

// Number of floats behind a blended row that loops may read; their values have no effect.
inline constexpr std::int64_t kResizeSpareFloats = 64;

// Rows of a plane of bytes, treated as uint8 (byte_loops.h), with a weight each.
struct ByteRowTaps {
  const std::uint8_t* plane = nullptr;
  std::int64_t pitch = 0;              // bytes between rows
  const std::int64_t* rows = nullptr;  // row numbers, one for each tap
  const float* weights = nullptr;      // one for each tap
  int taps = 1;
  std::uint8_t flip = 0;
  std::int32_t zero = 0;
};

// blended[i] = sum over the taps, in order, of weight * ((byte ^ flip) - zero).
void BlendByteRows(const ByteRowTaps& from, float* blended, std::int64_t count) noexcept;

// Taps along a row. If pixels have few elements, the loop gathers: `index` and `index_weight` then
// have an entry for each element of the result row and each tap.
struct ResizeColumns {
  explicit ResizeColumns(const SeparableTaps& taps);

  int width = 1;                    // taps of a column of the result
  std::int64_t columns = 0;         // pixels of a row of the result
  std::int64_t inner = 1;           // elements of a pixel
  std::vector<std::int64_t> pixel;  // [columns, width]: pixel of the blended row
  std::vector<float> pixel_weight;  // [columns, width]
  std::vector<std::int32_t> index;  // [width, stride()]; empty: no gather
  std::vector<float> index_weight;  // [width, stride()]

  // Elements of a row of the result, plus room for a vector behind them.
  [[nodiscard]] std::size_t stride() const {
    return static_cast<std::size_t>(columns * inner + kResizeSpareFloats);
  }
};

// Computes a row of the result: v = ratio * sum over the taps, in order, of weight * blended.
void BlendColumns(const ResizeColumns& columns, const float* blended, float ratio,
                  const ByteTarget& y) noexcept;

}  // namespace halftone
