// Convolution of one to three spatial axes, grouped and depthwise.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ConvKernels();

}  // namespace halftone
