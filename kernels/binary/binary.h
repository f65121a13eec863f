// Element-wise operators of two operands with broadcasting, comparisons, logic, and Where.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> BinaryKernels();

}  // namespace halftone
