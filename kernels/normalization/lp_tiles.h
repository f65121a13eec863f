// Vector loops of LpNormalization.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// `count` neighbouring columns of x[length, inner], each divided by its norm. With inner 1, the
// tile is one contiguous row of `length` elements.
struct LpTile {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  std::int64_t count = 1;
};

using LpLoop = void (*)(const LpTile& tile);

// The loop for p = 1 or 2, of float32, float16 and bfloat16.
LpLoop FindLpLoop(DType dtype, std::int64_t p);

}  // namespace halftone
