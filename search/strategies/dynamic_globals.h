// Plans in which every group that has a dynamic format takes it; no precision mode gives such a
// plan.
#pragma once

#include <vector>

#include "search/space/decisions.h"

namespace halftone {

// Distinct plans for each dynamic format that a group has. In all of them, every group that has the
// format takes it. The other groups are in float32 in the first plan; further plans have them in
// each format that is neither scaled nor dynamic, and in each scaled format with float ends
// (search/strategies/scaled_globals.h). Empty if no group has a dynamic format.
std::vector<Assignment> DynamicGlobals(const Decisions& decisions);

}  // namespace halftone
