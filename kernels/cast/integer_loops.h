// Vector loops from float32, float16 and bfloat16 to integers.
#pragma once

#include "kernels/cast/half_loops.h"

namespace halftone {

// The loop of a pair, which converts as ConvertElement() does: truncated toward zero, saturated,
// NaN to 0. Null unless `from` is one of these and `to` int8, uint8, int16, uint16, int32 or int64.
HalfLoop IntegerLoopFor(DType from, DType to);

}  // namespace halftone
