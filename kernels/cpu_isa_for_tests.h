// Instruction sets that tests execute in software.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Adds sets that this CPU lacks to DetectIsa(), so that tests select kernels made of them and
// execute their machine code in software (tests/kernels/traps). Without that the first such
// instruction ends the process. No library or program calls it. Call it before the first kernel is
// prepared: what has asked DetectIsa() may keep the answer.
void PretendIsaForTests(IsaMask isa);

}  // namespace halftone
