// Vector loops of RotaryEmbedding.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Rotated part of one row of a head. A pair (x1, x2) is (x[k], x[pairs + k]), or (x[2k], x[2k + 1])
// if interleaved:
//   y1 = cos x1 - sin x2,  y2 = sin x1 + cos x2
struct RotaryRow {
  const void* x = nullptr;    // 2 * pairs elements
  const void* cos = nullptr;  // pairs elements
  const void* sin = nullptr;  // pairs elements
  void* y = nullptr;          // must not be x
  std::int64_t pairs = 0;
};

// Function that rotates a RotaryRow of float32, float16 or bfloat16 in fp32 and rounds once.
using TurnRow = void (*)(const RotaryRow& row);
TurnRow FindTurnRow(DType dtype, bool interleaved);

}  // namespace halftone
