// Conversion of rows to bfloat16 by vcvtneps2bf16, for CPUs with kIsaAvx512Bf16
// (kernels/cpu_isa.h).
#pragma once

#include "kernels/tile/half_rows.h"

namespace halftone {

// Converts float32 or float16 to bfloat16, rounded to nearest even. Subnormal operands count as
// zero (Intel SDM, VCVTNEPS2BF16).
void Avx512ToBFloat16(const RowBlock& block) noexcept;

}  // namespace halftone
