// Vector loops from float32, float16 and bfloat16 to integers.
#pragma once

#include "kernels/cast/half_loops.h"

namespace halftone {

// Converts as ConvertElement() does: truncated toward zero, saturated, NaN to 0. Null for other
// pairs than these to int8, uint8, int16, uint16, int32 and int64.
HalfLoop IntegerLoopFor(DType from, DType to);

}  // namespace halftone
