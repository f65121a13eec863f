// Which 16-bit type a precision mode lowers to.
#pragma once

#include <optional>
#include <string_view>

#include "src/ir/dtype.h"

namespace halftone {

// kFloat16 or kBFloat16 by the table of modes; empty for modes that lower nothing and for values of
// --precision_mode that the table does not have.
std::optional<DType> LowDTypeOf(std::string_view precision_mode);

}  // namespace halftone
