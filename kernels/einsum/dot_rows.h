// Dot products of all rows of one operand with all rows of another.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Operands are [batch, rows, k] and [batch, columns, k], the result [batch, rows, columns].
struct DotRows {
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t k = 0;
};

// Computes elements [begin, end) of the result, each summed in fp32 in an order that depends on k
// only, then rounded once.
using DotRowsLoop = void (*)(const DotRows& call, std::int64_t begin, std::int64_t end);

// The loop of this CPU's best instruction set; float32, float16 and bfloat16.
DotRowsLoop FindDotRowsLoop(DType dtype);

}  // namespace halftone
