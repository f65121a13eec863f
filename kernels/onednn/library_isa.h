// Instruction sets of oneDNN. This header includes none of oneDNN's headers.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Instruction sets of DetectIsa() that oneDNN may use. oneDNN can only be limited to levels of
// instruction sets, so a set that belongs to no level is missing.
IsaMask LibraryIsa();

}  // namespace halftone
