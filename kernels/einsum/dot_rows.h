// Dot products of each row of one operand with each row of another.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// The operands a and b are [batch, rows, k] and [batch, columns, k]; the result y is [batch, rows,
// columns].
struct DotRows {
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t k = 0;
};

// Computes elements [begin, end) of the result. Each is summed in fp32, in an order that depends
// only on k and the vector width, and rounded once.
using DotRowsLoop = void (*)(const DotRows& call, std::int64_t begin, std::int64_t end);

// The loop for float32, float16 or bfloat16 by the best vectors of this CPU.
DotRowsLoop FindDotRowsLoop(DType dtype);

}  // namespace halftone
