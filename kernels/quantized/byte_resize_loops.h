// Vector loops of QLinearResize: one blends rows of bytes to a row of float32, the other blends the
// columns of this row to bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/quantized/byte_loops.h"
#include "kernels/resize/separable_taps.h"

namespace halftone {

// Number of floats behind a blended row that are read without effect.
inline constexpr std::int64_t kResizeSpareFloats = 64;

// Rows of a plane of bytes, seen as uint8 (byte_loops.h), with a weight each.
struct ByteRowTaps {
  const std::uint8_t* plane = nullptr;
  std::int64_t pitch = 0;  // bytes between rows
  const std::int64_t* rows = nullptr;
  const float* weights = nullptr;
  int taps = 1;
  std::uint8_t flip = 0;
  std::int32_t zero = 0;
};

// blended[i] = sum over the taps, in order, of weight * steps.
void BlendByteRows(const ByteRowTaps& from, float* blended, std::int64_t count) noexcept;

// Taps of the columns. Pixels of few elements are gathered, with an index and a weight for each
// element.
struct ResizeColumns {
  explicit ResizeColumns(const SeparableTaps& taps);

  int width = 1;
  std::int64_t columns = 0;
  std::int64_t inner = 1;           // elements of a pixel
  std::vector<std::int64_t> pixel;  // [columns, width]: pixel of the blended row
  std::vector<float> pixel_weight;  // [columns, width]
  std::vector<std::int32_t> index;  // [width, stride()]: elements; empty: not gathered
  std::vector<float> index_weight;  // [width, stride()]

  // Elements of a row of the result, and a vector behind them.
  [[nodiscard]] std::size_t stride() const {
    return static_cast<std::size_t>(columns * inner + kResizeSpareFloats);
  }
};

// Computes a row of the result: the sum over the taps, in order, of weight * blended, times the
// ratio.
void BlendColumns(const ResizeColumns& columns, const float* blended, float ratio,
                  const ByteTarget& y) noexcept;

}  // namespace halftone
