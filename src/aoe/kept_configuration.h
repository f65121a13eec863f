// The configuration that a job writes: the one given where no other is faster.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

// True if the latency of the chosen point equals the baseline's within what was measured, and the
// baseline meets the bounds. The summary must have both.
bool KeepsBaseline(const TuneSummary& summary, const Constraints& constraints);

// The summary with one point, chosen, which is the one that is written: the baseline where
// KeepsBaseline(), else the chosen point.
TuneSummary WithWrittenPoint(const TuneSummary& summary, const Constraints& constraints);

}  // namespace halftone
