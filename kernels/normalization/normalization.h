// BatchNormalization, InstanceNormalization, LayerNormalization, LRN.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> NormalizationKernels();

}  // namespace halftone
