// Vector loops between float32, float16 and bfloat16, for the casts that plans add.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Converts `count` elements, rounding once to nearest even. Between float16 and bfloat16 it widens
// to float32, exactly, and then rounds. NaN stays a NaN. Needs AVX2 and F16C.
using HalfLoop = void (*)(const void* source, void* target, std::int64_t count);

// The loop of a pair; null unless `from` and `to` are two different tunable dtypes.
HalfLoop HalfLoopFor(DType from, DType to);

}  // namespace halftone
