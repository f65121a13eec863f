// Instruction sets of oneDNN. This header includes none of oneDNN's.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Instruction sets of DetectIsa() that oneDNN may use. oneDNN can only be limited to levels, so a
// set that is no such level may be missing.
IsaMask LibraryIsa();

}  // namespace halftone
