// Skeleton: a complete small kernel family to copy. It computes y = factor * x + offset, a made-up
// operator in place of Abs. It is compiled and tested, but all_kernels.cc does not list it, so no
// network runs it.
//
// Attributes: factor and offset, floats, 1 and 0 by default. x and y have one dtype and shape.
//
//   portable   products and sums in float32. For K(x) = factor * x + offset:
//              |y - K(x)| <= 2^-24 |factor x| + 2^-24 |K(x)| (1 + 2^-24): the product and the sum
//              are each rounded once. Checked by SkeletonTest.StaysWithinTheBound.
//   reference  in double, rounded once to the dtype of y.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> SkeletonKernels();

}  // namespace halftone
