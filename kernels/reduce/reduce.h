// Reductions over axes: ReduceSum, ReduceMean, ..., ArgMax.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ReduceKernels();

}  // namespace halftone
