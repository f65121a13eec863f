// End of a matrix product: scale, bias, epilogue, one rounding, store.
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
  int columns = 0;  // with one row: up to the elements of a tile, consecutive in `c`
  std::int64_t c_stride = kTileColumns;  // floats between rows of `c`
  const float* bias = nullptr;           // null: none
  std::int64_t bias_row = 0;             // elements between rows; 0: one row for all
  bool bias_per_column = false;
  float alpha = 1.0F;
  const Epilogue* epilogue = &kNoEpilogue;  // never null
  const float* slopes = nullptr;            // slopes from y[0, 0] on, if the epilogue has slopes
  bool slopes_per_column = false;           // else per row
  const void* residual = nullptr;  // residual element of y[0, 0], with rows as in y; null: none
};

// y[i, j] = round(epilogue(alpha * c[i, j] + bias)) in fp32, then rounded once (to nearest even) to
// a 16-bit type. `c` is overwritten where the epilogue has a function.
void StoreTile(float* c, const TileOutput& output) noexcept;

// Address of the residual operand's element for the result element at `y`; `result` is the begin of
// the result. Null without a residual.
inline const void* ResidualAt(const void* residual, const void* result, const void* y) {
  return residual == nullptr
             ? nullptr
             : static_cast<const std::byte*>(residual) +
                   (static_cast<const std::byte*>(y) - static_cast<const std::byte*>(result));
}

}  // namespace halftone
