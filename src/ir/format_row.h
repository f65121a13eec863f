// The row of a number format.
#pragma once

#include <string_view>

#include "src/ir/dtype.h"

namespace halftone {

struct FormatRow {
  std::string_view name;  // in plans, banks and reports; never changed
  DType dtype;
  // Of floating formats: bits of the significand behind its first, the smallest normal number, the
  // largest finite one. 0: another kind.
  int mantissa_bits = 0;
  double smallest_normal = 0;
  double largest = 0;
  // To the nearest value of the format, ties to even; NaN stays NaN. Null: the dtype's own.
  float (*round)(float value) = nullptr;
};

}  // namespace halftone
