// Environment variable HALFTONE_LATENCY_BUDGET: seconds for the latency measurement of a front
// member, by default 2. The budgets of all other timed runs change in proportion
// (docs/internals/latency.md).
#pragma once

#include "halftone/measure.h"

namespace halftone {

// Sets the budgets in `measure` by the variable. Returns their ratio to the defaults; 1 without the
// variable. Error kUsage unless the variable is a number above 0 and at most 1000.
double TakeLatencyBudget(MeasureSettings& measure);

}  // namespace halftone
