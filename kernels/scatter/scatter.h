// ScatterElements, ScatterND, TensorScatter: a copy of the data with elements or slices replaced
// by, or reduced with, updates.
//
// Updates of one position are applied in order, on one thread, so that the result does not depend
// on the split: without a reduction the last one remains. A reduction computes in double or 64-bit
// integers and stores after each update: add and mul of floats round once per update (relative
// error u each, u that of the dtype), max and min are exact, NaN if any is; integers wrap. A
// constant index outside the data is an error; otherwise its update is dropped.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ScatterKernels();

}  // namespace halftone
