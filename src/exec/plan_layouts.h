// Layout plan: activations with channels last, decided once, when a plan is compiled.
//
// A convolution with 1 or 2 spatial axes takes that layout if its best kernel for it is no
// reference. So do the steps between such convolutions that work in either layout (element by
// element, pooling, concatenation, ...). Where steps need channels first, one transpose is placed
// before the first of them; tensors with one pixel or one channel have the same bytes in both
// layouts and need none. Graph inputs and outputs keep the layout of the graph.
#pragma once

#include "src/exec/program.h"

namespace halftone {

// Rewrites steps and slots. Does nothing when only references are wanted.
void PlanLayouts(Program& program, const KernelPreference& preference);

}  // namespace halftone
