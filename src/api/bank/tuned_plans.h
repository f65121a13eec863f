// Plans whose operators are tuned before a search.
#pragma once

#include <vector>

#include "search/space/space.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

// Returns the float32 plan; then the plan of each mode of the space with the implementation modes
// of the target's built-in file; then those of each mode with one implementation mode for all
// operators. Leaves out repeated plans and options that do not resolve.
std::vector<PrecisionPlan> PlansToTune(const Graph& graph, const TargetSpec& target,
                                       const SearchSpace& space);

}  // namespace halftone
