// The inner loops of pooling: one plane at a time, vectorised over the width.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Elements that PoolPlane() may read behind a plane and behind `counts`; the caller reserves them.
inline constexpr std::int64_t kPoolSlack = 16;

struct PlanePool {
  bool average = false;
  const float* plane = nullptr;  // laid out (kernels/conv/planes.h)
  std::int64_t row_step = 0;     // elements of the plane between output rows
  std::int64_t rows = 0;         // of the output
  std::int64_t width = 0;
  const std::int64_t* offsets = nullptr;  // of the taps, row by row
  std::int64_t taps = 0;
  std::int64_t row_taps = 1;             // in a row of the window
  const float* row_counts = nullptr;     // taps counted per row; averages only
  const float* column_counts = nullptr;  // likewise per column
  DType result_dtype = DType::kFloat32;
  void* y = nullptr;  // dense
};

void PoolPlane(const PlanePool& pool) noexcept;

// The maximum (NaN if any is) or the sum, in fp32, of `count` contiguous elements.
float MaximumOf(DType dtype, const void* data, std::int64_t count) noexcept;
float SumOf(DType dtype, const void* data, std::int64_t count) noexcept;

}  // namespace halftone
