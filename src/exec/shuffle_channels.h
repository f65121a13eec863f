// Channel shuffles, which networks express as Reshape, Transpose, Reshape: [N, C, H, W] seen as [N,
// groups, C / groups, H, W] with the two middle axes exchanged.
#pragma once

#include "src/exec/program.h"

namespace halftone {

// Gives such a Transpose StepLayout::shuffle_groups and operands [N, C, H, W], so that it runs in
// either layout. Its views keep their bytes, and the steps that read them read the result itself.
// Leaves it unchanged where a step reads the five axes.
void FindChannelShuffles(Program& program);

}  // namespace halftone
