// Conversions between dtypes.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> CastKernels();

}  // namespace halftone
