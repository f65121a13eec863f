// ScatterElements, ScatterND, TensorScatter: a copy of the data with elements or slices replaced,
// or joined with updates.
//
// Updates of one position are taken in their order, on one thread, so that the result does not
// depend on how the work is cut: with reduction none the last one stands. A reduction joins in the
// number that an element stands for and stores after each update: add and mul of floats round once
// per update (relative error u each, u that of the dtype), max and min are exact, NaN if any is;
// integers wrap. An index outside the data is an error where it is constant, else its update is
// dropped.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ScatterKernels();

}  // namespace halftone
