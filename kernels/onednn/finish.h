// Epilogue behind a oneDNN call, while its result is in the cache. oneDNN's own clamps (relu, clip,
// maximum) are not used, because they turn NaN into a bound, which would hide an overflow; nor are
// its other functions and its sums, which would round more than once.
#pragma once

#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// Most bytes that a part writes, so that they are still in the L2 for the epilogue.
inline constexpr std::int64_t kFinishedPartBytes = std::int64_t{256} * 1024;

// Dtype of oneDNN's result: float32 where more than a clamp follows, else that of the caller.
// (Rounding is monotonic: a clamp with rounded bounds behind it equals one before it.)
DType LibraryResultOf(const Epilogue& epilogue, DType result);

struct FinishCall {
  DType source_dtype = DType::kFloat32;  // float32, or that of the target
  const void* source = nullptr;
  DType dtype = DType::kFloat32;  // of target and residual: float32, float16, bfloat16
  void* target = nullptr;         // may be the source where the dtypes are the same
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
