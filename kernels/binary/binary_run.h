// Interface between loops over two operands and the rest of the binary family.
#pragma once

#include <cstdint>

namespace halftone {

// Computes y[i] = f(a[i * a_step], b[i * b_step]) for i below `count`. Steps are 0 or 1, and not
// both 0 if `count` is above 1.
struct BinaryRun {
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  std::int64_t count = 0;
  std::int64_t a_step = 1;
  std::int64_t b_step = 1;
};

using BinaryLoop = void (*)(const BinaryRun& run);

}  // namespace halftone
