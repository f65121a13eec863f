// Where the errors of plans are looked at in a network.
#pragma once

#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The outputs of the network. Where none of them is floating, also the floating values that decide
// them: the operands of the nodes that make integers or booleans of them (the scores an ArgMax
// compares). A small error flips no class on a handful of samples, so the outputs alone would tell
// plans apart no more than a coin; the error of what decides them is about proportional to how many
// elements many samples would flip. No constants; ascending behind the outputs, none twice.
std::vector<ValueId> JudgedValues(const Graph& graph);

}  // namespace halftone
