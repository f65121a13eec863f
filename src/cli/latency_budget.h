// HALFTONE_LATENCY_BUDGET, an environment variable: seconds of the latency measurement of a member
// of the front, 2 without it. All other timed runs change in proportion
// (docs/internals/latency.md).
#pragma once

#include "halftone/measure.h"

namespace halftone {

// Sets the seconds of latency measurements; returns their ratio to the defaults, 1 without the
// variable. Error kUsage unless it is a number of seconds above 0, at most 1000.
double TakeLatencyBudget(MeasureSettings& measure);

}  // namespace halftone
