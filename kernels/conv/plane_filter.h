// Inner loop of depthwise convolution: one output plane from one laid-out input plane.
#pragma once

#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// Elements that FilterPlane() may read behind a plane; the caller reserves them.
inline constexpr std::int64_t kFilterSlack = 16;

struct PlaneFilter {
  const float* plane = nullptr;
  std::int64_t row_step = 0;  // elements of the plane between output rows
  std::int64_t rows = 0;      // of the output
  std::int64_t width = 0;
  const std::int64_t* offsets = nullptr;  // of the taps
  const float* weights = nullptr;
  std::int64_t taps = 0;
  float bias = 0.0F;
  const Epilogue* epilogue = nullptr;  // never null
  const float* slope = nullptr;        // null where the epilogue has none
  DType result_dtype = DType::kFloat32;
  void* y = nullptr;               // dense
  const void* residual = nullptr;  // as y; null: none
};

// y[r, c] = round(epilogue(bias + sum_t weights[t] * plane[r * row_step + c + offsets[t]]))
void FilterPlane(const PlaneFilter& filter) noexcept;

}  // namespace halftone
