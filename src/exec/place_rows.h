// Concat along the last axis without copies: kernels write their rows into the rows of the result.
#pragma once

#include <span>

#include "kernels/kernel_table.h"
#include "src/exec/program.h"

namespace halftone {

// Places operands of each Concat along the last axis in its result, for example channels of each
// pixel with channels last. An operand gets its place there (Slot::inside, Slot::row_stride) if the
// kernel that makes it can write strided rows (KernelEntry::rows_apart), only the Concat reads it,
// and it begins at a multiple of kPartAlignment in every row of the result. Other operands are
// copied as before; a step with nothing left to copy is marked in_place. `choices` are parallel to
// the steps. Call after PlaceParts(), which leaves such a Concat alone.
void PlaceRows(Program& program, std::span<const KernelChoice> choices);

}  // namespace halftone
