// Choices of the search that the machine profile rules out before the network runs.
#pragma once

#include <vector>

#include "search/operators/machine_profile.h"
#include "search/space/decisions.h"
#include "search/space/node_choices.h"

namespace halftone {

// Least predicted time of a slow choice relative to float32. The margin above 1 allows for the
// casts that an operator in float32 costs if its neighbours are in another format; chosen, not
// measured.
inline constexpr double kSlowChoiceRatio = 1.3;

// Returns the slow choices of the groups, one element for each step. A choice is compared at those
// steps of a group that have a CallShape both in its format and in float32. It is slow in the group
// if the predicted ratio of times exceeds kSlowChoiceRatio at each of these steps, even at the low
// end of the prediction's spread. It is not slow if there is no such step, or if the profile cannot
// predict one of them.
std::vector<SlowChoice> SlowChoicesOf(const Decisions& decisions, const MachineProfile& profile,
                                      int threads);

}  // namespace halftone
