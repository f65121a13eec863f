// Vector loops between float32, float16 and bfloat16, for the casts that plans add.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Converts `count` elements, rounding once to nearest even (f16 <-> bf16 by way of float32, which
// is exact on the way up). NaN stays a NaN. Needs AVX2 and F16C.
using HalfLoop = void (*)(const void* source, void* target, std::int64_t count);

// The loop of a pair; null unless `from` and `to` are two different tunable dtypes.
HalfLoop HalfLoopFor(DType from, DType to);

}  // namespace halftone
