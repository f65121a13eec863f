// Instruction sets of CPUs that tests pretend to run on.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Adds sets that this CPU lacks to DetectIsa(), so that tests select kernels made of them and
// execute their machine code in software (tests/kernels/traps). Without that the first such
// instruction ends the process. No library or program calls it. Call it before the first kernel is
// prepared: what has asked DetectIsa() may keep the answer.
void PretendIsaForTests(IsaMask isa);

// The CPU that RefusalOfSystem(isa) speaks of, as long as `facts` lives; null: this one again.
// DetectIsa() stays as it is. No library or program calls it.
void PlantCpuFactsForTests(const CpuFacts* facts);

}  // namespace halftone
