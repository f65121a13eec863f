// Conversion of contiguous rows between float32, float16 and bfloat16, vectorised.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"
#include "src/ir/half.h"

namespace halftone {

// Exact.
void WidenRow(DType from, const void* source, float* target, std::int64_t count) noexcept;

// Operands of the dot units (TileFormat::kPairs). Rounded to nearest even; from bfloat16 a copy.
// Where the CPU has dot units, which take subnormal operands as zero, those may be zero already.
void NarrowRowToBFloat16(DType from, const void* source, BFloat16* target,
                         std::int64_t count) noexcept;

}  // namespace halftone
