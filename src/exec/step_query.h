// Kernel query of a step.
#pragma once

#include "kernels/kernel_table.h"
#include "src/exec/program.h"

namespace halftone {

// The query points into `program` and `step`, and is valid until either changes.
KernelQuery QueryOf(const Program& program, const Step& step);

}  // namespace halftone
