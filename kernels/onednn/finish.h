// The epilogue behind a library call, while what it wrote is in the cache. The library's own clamps
// (relu, clip, maximum) turn NaN into a bound, which would hide an overflow, so they are not used;
// its other functions and its sums would round more than once.
#pragma once

#include <cstdint>

#include "kernels/tile/epilogue.h"
#include "src/ir/dtype.h"

namespace halftone {

// What a part may write at most, so that it is still in the L2 when it is finished.
inline constexpr std::int64_t kFinishedPartBytes = std::int64_t{256} * 1024;

// In which dtype the library must leave its result: float32 where more than a clamp follows, else
// that of the caller. (Rounding is monotonic: a clamp with rounded bounds behind it equals one
// before it.)
DType LibraryResultOf(const Epilogue& epilogue, DType result);

struct FinishCall {
  DType source_dtype = DType::kFloat32;  // float32, or that of the target
  const void* source = nullptr;
  DType dtype = DType::kFloat32;  // of target and residual: float32, float16, bfloat16
  void* target = nullptr;         // may be the source where the dtypes are the same
  const void* residual = nullptr;
  std::int64_t count = 0;
  // Of PRelu: the slopes repeat every `row` elements, which `count` is a multiple of. Null: none.
  const float* slopes = nullptr;
  std::int64_t row = 0;
  // Elements of the target from row to row; 0: one behind the other.
  std::int64_t row_stride = 0;
};

// target[i] = round(epilogue(source[i])); with rows apart target[r * row_stride + j] is that of
// source[r * row + j].
void RunEpilogue(const FinishCall& call, const Epilogue& epilogue) noexcept;

}  // namespace halftone
