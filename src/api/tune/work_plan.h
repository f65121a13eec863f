// What a search says before it starts: on what it spends its plans, how many there are at most, and
// about how long they take.
#pragma once

#include <string>

#include "search/strategies/strategy.h"
#include "search/tuner.h"

namespace halftone {

// `plan_s`: seconds that a plan takes that is measured. Where a limit on time comes first, that is
// said. What a bank knows takes no time, and probes are not counted.
std::string WorkPlanText(const SearchStrategy& strategy, const TunerOptions& limits, double plan_s);

}  // namespace halftone
