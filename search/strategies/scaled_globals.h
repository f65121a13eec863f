// Plans in a scaled format throughout; no precision mode gives them.
#pragma once

#include <vector>

#include "search/space/decisions.h"

namespace halftone {

// `assignment` with float ends: a group in a scaled format has float32 results if they are outputs
// of the network or are read by a group in another format. A group without such a choice takes its
// choice in `others` instead. Operands of Softmax and outputs lose the most in 8 bits, and float32
// results of a product cost no conversion.
Assignment WithFloatEnds(const Decisions& decisions, Assignment assignment,
                         const Assignment& others);

// Distinct plans for each scaled format: every group that has the format takes it, with float ends;
// the other groups are in float32, then in each format that is not scaled. Then two plans with the
// other groups in float32: one without float ends, and one in which every group that can has
// float32 results. Empty if no group has a scaled format.
std::vector<Assignment> ScaledGlobals(const Decisions& decisions);

}  // namespace halftone
