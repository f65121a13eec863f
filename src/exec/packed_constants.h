// Constants whose kernels have a form of their own (packed panels, transformed filters): the bytes
// they were made of need not stay.
#pragma once

#include <memory>
#include <span>

#include "kernels/kernel_table.h"
#include "src/exec/program.h"
#include "src/exec/shared_constants.h"

namespace halftone {

// What `kernel` prepares for a step of the program. Constants whose bytes were held back get them
// when the kernel reads them.
std::shared_ptr<const KernelState> PrepareStep(Program& program, const Step& step,
                                               const KernelEntry& kernel, const KernelQuery& query,
                                               SharedConstants& shared);

// Takes the bytes away from every constant that all its steps consumed. `states` of the steps; null
// where a kernel has none.
void LetPackedConstantsGo(Program& program, std::span<const KernelState* const> states,
                          SharedConstants& shared);

}  // namespace halftone
