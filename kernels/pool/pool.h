// MaxPool, AveragePool and their global variants.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> PoolKernels();

}  // namespace halftone
