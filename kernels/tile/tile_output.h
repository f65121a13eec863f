// Last step of a matrix product: scale, bias, epilogue, one rounding, store.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "kernels/tile/tile.h"
#include "src/ir/dtype.h"

namespace halftone {

struct TileOutput {
  void* y = nullptr;
  DType dtype = DType::kFloat32;  // float32, float16 or bfloat16
  std::int64_t row_stride = 0;    // elements
  int rows = 0;
  int columns = 0;                       // with one row up to kTileElements, consecutive in `c`
  std::int64_t c_stride = kTileColumns;  // floats between rows of `c`
  const float* bias = nullptr;           // null: none
  std::int64_t bias_row = 0;             // elements between rows; 0: one row for all
  bool bias_per_column = false;
  float alpha = 1.0F;
  const Epilogue* epilogue = &kNoEpilogue;  // never null
  const float* slopes = nullptr;            // slopes from y[0, 0] on; null: the epilogue has none
  bool slopes_per_column = false;           // else per row
  const void* residual = nullptr;  // residual of y[0, 0], in rows as those of y; null: none
};

// y[i, j] = epilogue(alpha * c[i, j] + bias) in float32, rounded once (to nearest even) if y has 16
// bits. Overwrites `c` if the epilogue has a function. Reads whole vectors of `c`, so that a row
// needs room for its columns rounded up to whole vectors.
void StoreTile(float* c, const TileOutput& output) noexcept;

// Address in the residual operand for the result element at `y`; `result` is the begin of the
// result. Null without a residual operand.
inline const void* ResidualAt(const void* residual, const void* result, const void* y) {
  return residual == nullptr
             ? nullptr
             : static_cast<const std::byte*>(residual) +
                   (static_cast<const std::byte*>(y) - static_cast<const std::byte*>(result));
}

}  // namespace halftone
