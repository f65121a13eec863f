// Operators whose result is a copy of their input with another shape: Identity, Reshape, Flatten,
// Squeeze and Unsqueeze.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> CopyKernels();

}  // namespace halftone
