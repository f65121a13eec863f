// Einsum: sums of products over labelled axes.
//
// Sums in double over all products of n operands: |error| <= u |y| + (K + n) 2^-53 sum |terms|, K
// terms, u that of the dtype; integers wrap. Source: Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., 3.1.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> EinsumKernels();

}  // namespace halftone
