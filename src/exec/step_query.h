// Kernel query of a step.
#pragma once

#include "kernels/kernel_table.h"
#include "src/exec/program.h"

namespace halftone {

// Points into the program and the step.
KernelQuery QueryOf(const Program& program, const Step& step);

}  // namespace halftone
