// Element-wise operators of one operand: activations, roots, exponentials, rounding.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> UnaryKernels();

}  // namespace halftone
