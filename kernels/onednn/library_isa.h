// Which instruction sets oneDNN may use; without the library's headers.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Instruction sets of DetectIsa() that the library may use. It can be limited to levels only, so a
// set that is no level of it may be missing.
IsaMask LibraryIsa();

}  // namespace halftone
