// The float32 plan of a network against the specification of each of its operators in double.
#pragma once

#include <cstdint>
#include <vector>

#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone::testing {

// Runs the graph, each of its results an output, and compares every node with its reference kernel
// on the operands that the node read. What moves data and what gives integers or booleans must be
// equal, element functions near; the rest is left to the tests of its kernels, which know its
// error. Ends the program at a difference (Require()). The number of nodes compared.
std::int64_t CompareWithReferences(Graph graph, const std::vector<Tensor>& sample,
                                   const CompileOptions& options);

}  // namespace halftone::testing
