// Instruction sets of CPUs that tests pretend to run on.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Adds sets that this CPU lacks to DetectIsa(), so that tests select kernels for them and execute
// their machine code in software (tests/kernels/traps). Without that software, the first such
// instruction ends the process. Libraries and programs do not call it. Call it before the first
// kernel is prepared, because callers of DetectIsa() may store its answer.
void PretendIsaForTests(IsaMask isa);

// Sets the CPU that RefusalOfSystem(isa) describes; `facts` must live until it is reset with null,
// which stands for the real CPU. Does not change DetectIsa(). Libraries and programs do not call
// it.
void PlantCpuFactsForTests(const CpuFacts* facts);

}  // namespace halftone
