// The end of a matrix product: scale, bias, activation, one rounding, store.
#pragma once

#include <cstdint>

#include "kernels/gemm/activation_range.h"
#include "src/ir/dtype.h"

namespace halftone {

struct TileOutput {
  void* y = nullptr;
  DType dtype = DType::kFloat32;  // float32, float16 or bfloat16
  std::int64_t row_stride = 0;    // elements
  int rows = 0;
  int columns = 0;
  const float* bias = nullptr;  // null: none
  std::int64_t bias_row = 0;    // elements between rows; 0: one row for all
  bool bias_per_column = false;
  float alpha = 1.0F;
  ActivationRange range;
};

// y[i, j] = round(act(alpha * c[i, j] + bias)) in fp32, then rounded once (to nearest even) to a
// 16-bit type. `c` has rows of kTileColumns.
void StoreTile(const float* c, const TileOutput& output) noexcept;

}  // namespace halftone
