// Concat, Split and Slice without copies: the parts lie in the whole.
#pragma once

#include <cstddef>

#include "src/exec/program.h"

namespace halftone {

// Where the parts of such a step are contiguous in the whole, and begin at a multiple of this, they
// get their place there (Slot::inside): what makes a part of a Concat writes into the result, what
// reads a part of a Split or Slice reads from its operand. Kernels load and store without regard to
// alignment, but a vector across two cache lines takes twice as long.
inline constexpr std::size_t kPartAlignment = 64;

// A part that lies elsewhere already (constant, caller's memory, another whole, twice in one) is
// copied as before; a step that is left with nothing to copy is marked in_place. Steps stay, so
// that values, readers and writers are found as before. Goes after PlanLayouts().
void PlaceParts(Program& program);

}  // namespace halftone
