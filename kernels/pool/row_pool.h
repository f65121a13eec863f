// The inner loops of pooling with channels first: the rows of a window are joined to one, which is
// then pooled along the width.
#pragma once

#include <cstdint>
#include <span>

#include "src/ir/dtype.h"

namespace halftone {

// What all planes have in common. Output row r joins the input rows that begin at `sources`
// [ends[r - 1], ends[r]) of a plane, in this order.
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
  std::span<const float> column_counts;  // likewise by column

  static constexpr std::int64_t kMostLanes = 16;  // of a vector

  // Of the joined row, which PrepareRow() fills.
  [[nodiscard]] std::int64_t row_elements() const;
};

// Writes what joins to nothing around the joined row.
void PrepareRow(const RowPool& pool, float* row) noexcept;

// A plane of float32, float16 or bfloat16.
struct PlaneToPool {
  DType dtype = DType::kFloat32;  // of both
  const void* x = nullptr;
  std::int64_t readable = 0;  // elements from x on, those of other planes too
  void* y = nullptr;          // dense
};

void PoolPlane(const RowPool& pool, const PlaneToPool& plane, float* row) noexcept;

}  // namespace halftone
