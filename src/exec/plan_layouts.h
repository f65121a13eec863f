// Layout plan: activations with channels last, decided once, when a plan is compiled.
//
// A convolution with 1 or 2 spatial axes takes that layout if its best kernel in that layout is not
// the reference. Steps between such convolutions that work in either layout take it too (element by
// element, pooling, concatenation, ...). If steps need a value with channels first, one transpose
// is placed before the first of them. Tensors with one pixel or one channel have the same bytes in
// both layouts and need no transpose. Graph inputs and outputs keep the layout of the graph.
#pragma once

#include "src/exec/program.h"

namespace halftone {

// Rewrites steps and slots. Does nothing if `preference` allows references only.
void PlanLayouts(Program& program, const KernelPreference& preference);

}  // namespace halftone
