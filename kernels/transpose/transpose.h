// Transpose, DepthToSpace and SpaceToDepth.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> TransposeKernels();

}  // namespace halftone
