// Instruction sets of oneDNN; without its headers.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Instruction sets of DetectIsa() that oneDNN may use. oneDNN can be limited to levels only, so a
// set that is none of its levels may be missing.
IsaMask LibraryIsa();

}  // namespace halftone
