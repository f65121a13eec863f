// Choices of the search that a machine profile rules out before anything of the network runs.
#pragma once

#include <vector>

#include "search/operators/machine_profile.h"
#include "search/space/decisions.h"
#include "search/space/node_choices.h"

namespace halftone {

// A choice is slow if every step of its group that the profile knows is predicted to take more than
// this times as long as in float32, beyond the spread of the prediction. The margin allows for the
// casts around an operator in float32 between two in the other format; it was chosen, not measured.
inline constexpr double kSlowChoiceRatio = 1.3;

// Slow choices in the order of the groups. Groups without a step that the profile knows have none.
std::vector<SlowChoice> SlowChoicesOf(const Decisions& decisions, const MachineProfile& profile,
                                      int threads);

}  // namespace halftone
