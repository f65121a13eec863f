// Which instruction sets oneDNN may use; without the library's headers.
#pragma once

#include "kernels/cpu_isa.h"

namespace halftone {

// Of DetectIsa(), those that the library is told to use: it knows steps, not single sets.
IsaMask LibraryIsa();

}  // namespace halftone
