// Vector loops of RotaryEmbedding.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Rotated part of one head: pairs (x[k], x[pairs + k]), or neighbours.
//   y1 = cos x1 - sin x2,  y2 = sin x1 + cos x2
struct RotaryRow {
  const void* x = nullptr;
  const void* cos = nullptr;  // [pairs]
  const void* sin = nullptr;
  void* y = nullptr;  // not x
  std::int64_t pairs = 0;
};

// Rotates in fp32 and rounds once. float32, float16, bfloat16.
using TurnRow = void (*)(const RotaryRow& row);
TurnRow FindTurnRow(DType dtype, bool interleaved);

}  // namespace halftone
