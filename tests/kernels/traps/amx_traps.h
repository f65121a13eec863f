// Executes the instructions of AMX (AMX-TILE, AMX-BF16, AMX-INT8) in software: a row of
// instruction_traps.cc. Source: Intel SDM volume 1, chapter 18, and volume 2.
//
// Each thread has tile registers of its own. What the CPU would refuse (#UD, #GP: an invalid
// configuration, a tile that is not configured, shapes that do not fit) is a failure of GoogleTest
// that names the reason; the instruction then does nothing. Memory is read and written by ordinary
// code, so that a guard page behind a matrix, or the address sanitizer, sees every byte that an
// instruction touches.
#pragma once

#include <cstdint>

#include "tests/kernels/traps/instruction_traps.h"

namespace halftone::testing {

bool EmulateAmx(ucontext_t& context);

// True if this thread has configured its tile registers and not released them, in software.
bool HasTrappedTiles();

// Tile configurations that all threads have loaded in software so far.
std::int64_t TrappedTileConfigurations();

}  // namespace halftone::testing
