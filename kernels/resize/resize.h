// Resize (and Upsample, which the importer rewrites).
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ResizeKernels();

}  // namespace halftone
