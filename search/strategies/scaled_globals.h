// Plans that are in a scaled format throughout, which no precision mode stands for.
#pragma once

#include <vector>

#include "search/space/decisions.h"

namespace halftone {

// `assignment` with float32 results where a chain in a scaled format ends: at outputs of the
// network and in front of groups in another format. A group there without such a choice takes that
// of `others`, so that the chain ends before it. What Softmax or an output reads loses the most by
// 8 bits, and float32 results of a product cost no conversion.
Assignment WithFloatEnds(const Decisions& decisions, Assignment assignment,
                         const Assignment& others);

// For each scaled format, each once and none without it: every group that has it in it, with float
// ends, the others in float32 and then in each format that is not scaled; the same without float
// ends; every product with float32 results. Empty where no group has a scaled format.
std::vector<Assignment> ScaledGlobals(const Decisions& decisions);

}  // namespace halftone
