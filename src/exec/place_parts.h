// Concat, Split and Slice without copies: the parts are ranges of the whole.
#pragma once

#include <cstddef>

#include "src/exec/program.h"

namespace halftone {

// Alignment, in bytes, of parts placed in the whole. Parts that are contiguous there and begin at a
// multiple of it get their place in the whole (Slot::inside): the producer of a part of a Concat
// writes into the result, the reader of a part of a Split or Slice reads from its operand. Kernels
// load and store without regard to alignment, but a vector across two cache lines takes twice as
// long.
inline constexpr std::size_t kPartAlignment = 64;

// Places parts. One that lies elsewhere already (constant, caller's memory, another whole, twice in
// one) is copied as before; a step with nothing left to copy is marked in_place. Steps stay, so
// that values, readers and writers are found as before. Call after PlanLayouts().
void PlaceParts(Program& program);

}  // namespace halftone
