// Instruction sets of oneDNN; without its headers.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Instruction sets of DetectIsa() that oneDNN may use. oneDNN can only be limited to levels, so a
// set that is no such level may be missing.
IsaMask LibraryIsa();

}  // namespace halftone
