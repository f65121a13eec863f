// Operators that copy their input under another shape.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> CopyKernels();

}  // namespace halftone
