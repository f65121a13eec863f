// Inner loops of pooling with channels first: the rows of a window are reduced to one, which is
// then pooled along the width.
#pragma once

#include <cstdint>
#include <span>

#include "src/ir/dtype.h"

namespace halftone {

// Geometry of all planes. Output row r reduces the input rows that begin at `sources` [ends[r - 1],
// ends[r]) of a plane, in this order.
struct RowPool {
  bool average = false;
  std::int64_t input_width = 0;
  std::int64_t width = 0;  // of the output
  std::int64_t pad = 0;    // in front of a row
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t taps = 1;                  // of a window, along a row
  std::span<const std::int64_t> sources;  // elements
  std::span<const std::int64_t> ends;
  std::span<const float> row_counts;     // rows counted for each output row; averages only
  std::span<const float> column_counts;  // columns counted for each output column; averages only

  static constexpr std::int64_t kMostLanes = 16;  // most lanes of a vector

  // Elements of the reduced row, which PrepareRow() fills.
  [[nodiscard]] std::int64_t row_elements() const;
};

// Writes the neutral element of the reduction around the reduced row, for planes of `dtype`.
void PrepareRow(const RowPool& pool, DType dtype, float* row) noexcept;

// A plane of float32, float16 or bfloat16.
struct PlaneToPool {
  DType dtype = DType::kFloat32;  // of x and y
  const void* x = nullptr;
  std::int64_t readable = 0;  // elements from x on, including those of other planes
  void* y = nullptr;          // dense
};

void PoolPlane(const RowPool& pool, const PlaneToPool& plane, float* row) noexcept;

}  // namespace halftone
