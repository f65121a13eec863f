// Checks of option values before any work.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

// Error kUsage for a number of threads below 0 or above the number of cores, and for an unknown
// metric. Names the option.
void CheckMeasureSettings(const MeasureSettings& settings);

// Error kUsage for seconds outside the range of --operator_budget (limits::kOperatorBudgetRange).
void CheckOperatorBudget(double seconds);

}  // namespace halftone
