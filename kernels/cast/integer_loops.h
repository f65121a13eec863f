// Vector loops from float32, float16 and bfloat16 to integers.
#pragma once

#include "kernels/cast/half_loops.h"

namespace halftone {

// The loop for a pair of dtypes. It converts like ConvertElement(): truncates toward zero,
// saturates, and turns NaN into 0. Null unless `from` is float32, float16 or bfloat16 and `to` is
// int8, uint8, int16, uint16, int32 or int64.
HalfLoop IntegerLoopFor(DType from, DType to);

}  // namespace halftone
