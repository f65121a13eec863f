// Checks of option values that are well-formed but not sensible, before any work.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

// Error kUsage naming the option: more threads than cores, a metric that does not exist.
void CheckMeasureSettings(const MeasureSettings& settings);

// Error kUsage naming the option: more than a day, or no number.
void CheckOperatorBudget(double seconds);

}  // namespace halftone
