// Plans in a scaled format throughout; no precision mode gives such a plan.
#pragma once

#include <vector>

#include "search/space/decisions.h"

namespace halftone {

// `assignment` with float ends: a group in a scaled format has float32 results if one of its
// results is an output of the network or is read by a group whose format is not scaled. A group
// without such a choice takes its choice in `others` instead. The reason is that outputs and
// operands of Softmax lose the most in 8 bits, while float32 results of a product cost no
// conversion.
Assignment WithFloatEnds(const Decisions& decisions, Assignment assignment,
                         const Assignment& others);

// Distinct plans for each scaled format. In all of them, every group that has the format takes it.
// The first plans have float ends and differ in the other groups, which are in float32, then in
// each format that is not scaled. Two more plans have the other groups in float32: one without
// float ends, and one with float32 results wherever a group has such a choice. Empty if no group
// has a scaled format.
std::vector<Assignment> ScaledGlobals(const Decisions& decisions);

}  // namespace halftone
