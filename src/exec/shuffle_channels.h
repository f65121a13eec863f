// Channel shuffles, which networks express as Reshape, Transpose, Reshape: [N, C, H, W] is seen as
// [N, groups, C / groups, H, W], and the two axes behind N are exchanged.
#pragma once

#include "src/exec/program.h"

namespace halftone {

// Makes the Transpose of a channel shuffle a step on [N, C, H, W] with StepLayout::shuffle_groups,
// so that it runs in either layout. The steps behind it, which read its result through a view, read
// the result itself. A Transpose stays unchanged if a step reads its result with five axes.
void FindChannelShuffles(Program& program);

}  // namespace halftone
