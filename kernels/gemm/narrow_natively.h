// Rows to bfloat16 by vcvtneps2bf16, for CPUs with kIsaAvx512Bf16 alone (kernels/cpu_isa.h).
#pragma once

#include <cstdint>

#include "src/ir/half.h"

namespace halftone {

// Rounded to nearest even; subnormal operands count as zero (Intel SDM, VCVTNEPS2BF16).
void NarrowFloatNatively(const float* source, BFloat16* target, std::int64_t count) noexcept;
void NarrowFloat16Natively(const Float16* source, BFloat16* target, std::int64_t count) noexcept;

}  // namespace halftone
