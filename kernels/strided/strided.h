// Slice, Pad, Expand, Tile and CenterCropPad: copies between strided regions.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> StridedKernels();

}  // namespace halftone
