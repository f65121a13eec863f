// Vector loops between float32, float16 and bfloat16: the casts that plans place on edges.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Converts `count` elements, rounding once to nearest even (f16 <-> bf16 by way of float32, which
// is exact on the way up). NaN stays a NaN. Needs AVX2 and F16C.
using HalfLoop = void (*)(const void* source, void* target, std::int64_t count);

// Null when `from` and `to` are not two different tunable dtypes.
HalfLoop HalfLoopFor(DType from, DType to);

}  // namespace halftone
