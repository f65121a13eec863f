// Epilogue after a oneDNN call, while its result is in the cache.
//
// oneDNN's own clamps (relu, clip, maximum) are not used, because they turn NaN into a bound and so
// hide an overflow. Its other functions and its sums are not used, because they would round more
// than once.
#pragma once

#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// Upper bound on the bytes that a part writes, so that they are still in the L2 when the epilogue
// reads them.
inline constexpr std::int64_t kFinishedPartBytes = std::int64_t{256} * 1024;

// Dtype of oneDNN's result: float32 if the epilogue is more than a clamp, else `result`. (Rounding
// is monotonic, so that clamping the rounded result to rounded bounds gives the same as clamping
// first.)
DType LibraryResultOf(const Epilogue& epilogue, DType result);

struct FinishCall {
  DType source_dtype = DType::kFloat32;  // float32, or the dtype of the target
  const void* source = nullptr;
  DType dtype = DType::kFloat32;   // of target and residual: float32, float16, bfloat16
  void* target = nullptr;          // may be the source if the dtypes are equal
  const void* residual = nullptr;  // contiguous rows; null: none
  std::int64_t count = 0;
  // Slopes of PRelu, which repeat every `row` elements; null: none.
  const float* slopes = nullptr;
  std::int64_t row = 0;  // elements of a row of the result; `count` is a multiple of it
  // Elements between the begins of rows of the target; 0: contiguous rows.
  std::int64_t row_stride = 0;
};

// Writes target[i] = epilogue(source[i]), computed in float32 and rounded once. With a row_stride,
// element j of row r is target[r * row_stride + j], from source[r * row + j].
void RunEpilogue(const FinishCall& call, const Epilogue& epilogue) noexcept;

}  // namespace halftone
