// The fused activation behind a library call. The library's own clamps (relu, clip, maximum) turn
// NaN into a bound, which would hide an overflow, so they are not used.
#pragma once

#include <cstdint>

#include "kernels/gemm/activation_range.h"
#include "src/ir/dtype.h"

namespace halftone {

// What a part may write at most, so that it is still in the L2 when it is clamped.
inline constexpr std::int64_t kClampedPartBytes = 256 * 1024;

// False for a range without bounds.
bool IsBounded(const ActivationRange& range);

// Clamps `count` elements of float32 or bfloat16; NaN stays. The bounds are rounded as the elements
// were: rounding is monotonic, so this equals a clamp before the elements were rounded.
void ClampInPlace(DType dtype, void* values, std::int64_t count,
                  const ActivationRange& range) noexcept;

}  // namespace halftone
