// Plans whose operators are tuned before a search.
#pragma once

#include <vector>

#include "search/space/space.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

// Float32, then each mode of the space: first with the implementation modes that the target's
// built-in file gives, then with each implementation mode for all operators. Equal plans count
// once; those that do not resolve are left out.
std::vector<PrecisionPlan> PlansToTune(const Graph& graph, const TargetSpec& target,
                                       const SearchSpace& space);

}  // namespace halftone
