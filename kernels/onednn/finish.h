// Epilogue after a oneDNN call, while its result is in the cache. oneDNN's own clamps (relu, clip,
// maximum) are not used, because they turn NaN into a bound and so hide an overflow. Its other
// functions and its sums are not used, because they would round more than once.
#pragma once

#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// Upper bound on the bytes that a part writes, so that they are still in the L2 for the epilogue.
inline constexpr std::int64_t kFinishedPartBytes = std::int64_t{256} * 1024;

// Dtype of oneDNN's result: float32 if the epilogue is more than a clamp, else `result`. (Rounding
// is monotonic, so a clamp with rounded bounds after it equals a clamp before it.)
DType LibraryResultOf(const Epilogue& epilogue, DType result);

struct FinishCall {
  DType source_dtype = DType::kFloat32;  // float32, or the dtype of the target
  const void* source = nullptr;
  DType dtype = DType::kFloat32;  // of target and residual: float32, float16, bfloat16
  void* target = nullptr;         // may be the source if the dtypes are equal
  const void* residual = nullptr;
  std::int64_t count = 0;
  // Slopes of PRelu, which repeat every `row` elements; `count` is a multiple of `row`. Null: none.
  const float* slopes = nullptr;
  std::int64_t row = 0;
  // Elements of the target between the begins of rows; 0: contiguous rows.
  std::int64_t row_stride = 0;
};

// target[i] = round(epilogue(source[i])); with strided rows target[r * row_stride + j] is computed
// from source[r * row + j].
void RunEpilogue(const FinishCall& call, const Epilogue& epilogue) noexcept;

}  // namespace halftone
