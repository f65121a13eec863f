// Inner loops of pooling with channels first. They reduce the rows of a window to one row, then
// pool this row along the width.
#pragma once

#include <cstdint>
#include <span>

#include "src/ir/dtype.h"

namespace halftone {

// Geometry that all planes share. Output row r reduces, in this order, the input rows that begin at
// elements sources[i] of a plane for ends[r - 1] <= i < ends[r] (from 0 on if r is 0).
struct RowPool {
  bool average = false;
  std::int64_t input_width = 0;
  std::int64_t width = 0;  // of the output
  std::int64_t pad = 0;    // padding in front of a row
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t taps = 1;                  // of a window along a row
  std::span<const std::int64_t> sources;  // begins of input rows, in elements
  std::span<const std::int64_t> ends;
  std::span<const float> row_counts;     // rows counted for each output row; averages only
  std::span<const float> column_counts;  // columns counted for each output column; averages only

  static constexpr std::int64_t kMostLanes = 16;  // most floats in a vector

  // Number of floats in the scratch `row` of the functions below.
  [[nodiscard]] std::int64_t row_elements() const;
};

// Fills `row` with the neutral element of the reduction, for planes of `dtype`. PoolPlane() leaves
// that element in the padding, so one call serves all planes.
void PrepareRow(const RowPool& pool, DType dtype, float* row) noexcept;

// A plane of float32, float16 or bfloat16.
struct PlaneToPool {
  DType dtype = DType::kFloat32;  // of x and y
  const void* x = nullptr;
  std::int64_t readable = 0;  // elements from x on, including those of other planes
  void* y = nullptr;          // dense
};

// Pools one plane. `row` comes from PrepareRow().
void PoolPlane(const RowPool& pool, const PlaneToPool& plane, float* row) noexcept;

}  // namespace halftone
