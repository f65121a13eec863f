// Matrix products: Gemm and MatMul.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> GemmKernels();

}  // namespace halftone
