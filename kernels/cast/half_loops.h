// Vector loops between float32, float16 and bfloat16, for the casts that plans add.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Converts `count` elements and rounds once to nearest even. A conversion between float16 and
// bfloat16 goes through float32, which holds every value of both. NaN stays a NaN. Needs AVX2 and
// F16C.
using HalfLoop = void (*)(const void* source, void* target, std::int64_t count);

// The loop for a pair of dtypes. Null unless they are two different ones of float32, float16 and
// bfloat16.
HalfLoop HalfLoopFor(DType from, DType to);

}  // namespace halftone
