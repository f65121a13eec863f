// Inner loop of depthwise convolution: computes an output plane from an input plane in the layout
// of planes.h.
#pragma once

#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// Number of elements that FilterPlane() may read behind a plane. The caller reserves them.
inline constexpr std::int64_t kFilterSlack = 16;

struct PlaneFilter {
  const float* plane = nullptr;
  std::int64_t row_step = 0;  // distance in the plane from an output row to the next, in elements
  std::int64_t rows = 0;      // rows of the output
  std::int64_t width = 0;     // width of the output
  const std::int64_t* offsets = nullptr;  // offsets of the taps in the plane, in elements
  const float* weights = nullptr;
  std::int64_t taps = 0;
  float bias = 0.0F;
  const Epilogue* epilogue = nullptr;  // never null
  const float* slope = nullptr;        // slope of this channel (Epilogue::SlopesFrom()); null: none
  DType result_dtype = DType::kFloat32;
  void* y = nullptr;               // [rows, width], contiguous
  const void* residual = nullptr;  // laid out as y; null: none
};

// y[r, c] = round(epilogue(bias + sum_t weights[t] * plane[r * row_step + c + offsets[t]]))
void FilterPlane(const PlaneFilter& filter) noexcept;

}  // namespace halftone
