// Concat, Split and Slice without copies: the parts are ranges of the whole.
#pragma once

#include <cstddef>

#include "src/exec/program.h"

namespace halftone {

// Alignment, in bytes, of parts placed in the whole. A part that is contiguous there and begins at
// a multiple of it gets its place in the whole (Slot::inside): the producer of a part of a Concat
// writes into the result, the reader of a part of a Split or Slice reads from the operand. Kernels
// load and store without regard to alignment, but a vector across two cache lines takes twice as
// long.
inline constexpr std::size_t kPartAlignment = 64;

// Places parts. A part that lies elsewhere already (a constant, memory of the caller, another
// whole, a second place in the same whole) is copied as before; a step with nothing left to copy is
// marked in_place. Steps stay, so that values, readers and writers are found as before. Call after
// PlanLayouts().
void PlaceParts(Program& program);

}  // namespace halftone
