// Announcement of a search: the use of its plans, their greatest number, and roughly how long they
// take.
#pragma once

#include <string>

#include "search/strategies/strategy.h"
#include "search/tuner.h"

namespace halftone {

// `plan_s`: seconds per measured plan. The text names a time limit that would end the search before
// its plans do. Known plans take no time, and probes are not counted.
std::string WorkPlanText(const SearchStrategy& strategy, const TunerOptions& limits, double plan_s);

}  // namespace halftone
