// Operators that produce values from shapes: ConstantOfShape, Range, Shape, Size.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> FillKernels();

}  // namespace halftone
