// Plans that are in a dynamic format wherever they can be, which no precision mode stands for.
#pragma once

#include <vector>

#include "search/space/decisions.h"

namespace halftone {

// For each dynamic format, each once: every group that has it in it, the others in float32, then in
// each format that is neither scaled nor dynamic, then in each scaled one with float ends
// (search/strategies/scaled_globals.h). Empty where no group has a dynamic format.
std::vector<Assignment> DynamicGlobals(const Decisions& decisions);

}  // namespace halftone
