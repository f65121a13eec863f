// Concat, Split and Slice without copies: parts are ranges of a whole. The parts of a Concat are
// its operands, and its result is the whole. The whole of a Split or Slice is its operand, and its
// results are parts.
#pragma once

#include <cstddef>

#include "src/exec/program.h"

namespace halftone {

// Alignment, in bytes, of parts in their whole. A part that is contiguous there and begins at a
// multiple of it gets its place in the whole (Slot::inside). The producer of a part of a Concat
// then writes into the result; the reader of a part of a Split or Slice reads from the operand.
// Kernels load and store at any alignment, but a vector across two cache lines takes twice as long.
inline constexpr std::size_t kPartAlignment = 64;

// Places parts. A part that lies elsewhere already (a constant, memory of the caller, another
// whole, a second place in the same whole) is copied as before, and so is a part of a constant or
// of a graph input. A step with nothing left to copy is marked in_place. It stays in the program,
// so that its values, readers and writers are found as before. Call after PlanLayouts().
void PlaceParts(Program& program);

}  // namespace halftone
