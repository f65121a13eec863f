// Infinities and NaN in results: a search at the speed of memory, and saturation as on some
// targets.
#pragma once

#include <cstdint>
#include <optional>

#include "src/ir/dtype.h"

namespace halftone {

// The index of the first of `count` elements that is infinite or NaN; empty for integers and bool.
std::optional<std::int64_t> FirstNonFinite(DType dtype, const void* data, std::int64_t count);

// Saturates float16 as some targets do: infinity becomes 65504 of the same sign, NaN becomes 0.
// Returns how many of the `count` elements changed.
std::int64_t SaturateFloat16(void* data, std::int64_t count);

}  // namespace halftone
