// Judged values: the values of a network at which the errors of plans are measured.
#pragma once

#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The outputs of the network. If none of them is floating, the deciding values follow in ascending
// order: the floating operands of the nodes that turn floats into integers or booleans (the scores
// that an ArgMax compares). A small error flips no class on a few samples, so the outputs alone
// would rank plans at random. The error of the deciding values is about proportional to the number
// of elements that would flip on many samples. No deciding value is a constant or an output.
std::vector<ValueId> JudgedValues(const Graph& graph);

}  // namespace halftone
