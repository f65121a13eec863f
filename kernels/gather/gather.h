// Gather along an axis, GatherElements, GatherND.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> GatherKernels();

}  // namespace halftone
