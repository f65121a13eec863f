// Plans in a dynamic format for every group that has it; no precision mode gives them.
#pragma once

#include <vector>

#include "search/space/decisions.h"

namespace halftone {

// Distinct plans for each dynamic format: every group that has the format takes it; the other
// groups are in float32, then in each format that is neither scaled nor dynamic, then in each
// scaled format with float ends (search/strategies/scaled_globals.h). Empty if no group has a
// dynamic format.
std::vector<Assignment> DynamicGlobals(const Decisions& decisions);

}  // namespace halftone
