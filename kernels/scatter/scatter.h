// ScatterElements, ScatterND, TensorScatter: a copy of the data in which updates replace elements
// or slices, or are reduced with them.
//
// Updates of one position are applied in order, on one thread, so that the result does not depend
// on the number of threads. Without a reduction, the last update remains. A reduction stores after
// each update: add and mul of floats round once per update (relative error u of the dtype each),
// max and min are exact, and NaN if either operand is NaN; integers wrap.
//
// ScatterElements and ScatterND: a constant index outside the data is an Error kModel in prepare();
// at run time its update is dropped. TensorScatter always drops what lies outside the cache.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ScatterKernels();

}  // namespace halftone
