// Operators that generate values from shapes or scalars: ConstantOfShape, Range, Shape, Size.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> FillKernels();

}  // namespace halftone
