// TopK: the greatest (or least) elements along an axis, in order, and their indices.
//
// Exact. Of equal elements the one with the lower index comes first; -0 and 0 are equal; NaN counts
// as the greatest, as in NumPy.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> SortKernels();

}  // namespace halftone
