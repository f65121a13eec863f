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

// Planes behind each other, each pooled to one element: the maximum (NaN if any is), or the sum in
// fp32 over `count`.
struct WholePlanes {
  bool average = false;
  DType dtype = DType::kFloat32;  // of both
  const void* x = nullptr;
  std::int64_t count = 0;  // elements of a plane
  std::int64_t planes = 0;
  void* y = nullptr;
};

void PoolWholePlanes(const WholePlanes& pool) noexcept;

}  // namespace halftone
