// Values of options that are legal texts and still make no sense: refused before any work.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

// Error kUsage naming the option: more threads than cores, a metric that does not exist.
void CheckMeasureSettings(const MeasureSettings& settings);

// Error kUsage naming the option: more than a day, or no number.
void CheckOperatorBudget(double seconds);

}  // namespace halftone
