// Casts that round to a number format that is no dtype (src/ir/numeric_format.h).
#pragma once

#include <memory>
#include <string_view>

#include "kernels/kernel_table.h"

namespace halftone {

// True if the Cast rounds to such a format (Fusion::format).
bool CastsToFormat(const KernelQuery& query);

std::string_view CastToFormatRefusal(const KernelQuery& query);

// Converts each element to float32, applies FormatRow::round(), and stores the result in the dtype
// of the format. Each step rounds once.
std::unique_ptr<KernelState> PrepareCastToFormat(const KernelQuery& query);
void RunCastToFormat(const KernelArgs& args) noexcept;

}  // namespace halftone
