// Announcement of a search: what it measures, at most how many plans, and about how long that
// takes.
#pragma once

#include <string>

#include "search/strategies/strategy.h"
#include "search/tuner.h"

namespace halftone {

// Text of the announcement. `plan_s`: estimated seconds to measure a plan. If a time limit would
// end the search before the last plan, the text gives that limit. Time for probes is not included.
std::string WorkPlanText(const SearchStrategy& strategy, const TunerOptions& limits, double plan_s);

}  // namespace halftone
