// Dot products of the rows of two operands.
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

// Elements [begin, end) of the result, each summed in fp32 in an order that depends on k only, then
// rounded once.
using DotRowsLoop = void (*)(const DotRows& call, std::int64_t begin, std::int64_t end);

// For float32, float16 and bfloat16, by this CPU's best instruction set.
DotRowsLoop FindDotRowsLoop(DType dtype);

}  // namespace halftone
