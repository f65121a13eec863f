// Values of a network at which the errors of plans are measured.
#pragma once

#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The outputs of the network. Where none of them is floating, also the floating values that decide
// them: the operands of the nodes that convert them to integers or booleans (the scores an ArgMax
// compares). A small error flips no class on a few samples, so the outputs alone would rank plans
// at random; the error of the deciding values is about proportional to the number of elements that
// would flip on many samples. The deciding values follow the outputs in ascending order. The result
// has no constants and no duplicates.
std::vector<ValueId> JudgedValues(const Graph& graph);

}  // namespace halftone
