// The configuration that a job writes: the one given where no other is faster.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

// True if the latency of the chosen point is that of the baseline within what was measured, and the
// baseline meets the bounds. The summary must have both.
bool KeepsBaseline(const TuneSummary& summary, const Constraints& constraints);

// The summary with the point that is written as its only one, and chosen: the baseline where
// KeepsBaseline(), else the chosen point.
TuneSummary WithWrittenPoint(const TuneSummary& summary, const Constraints& constraints);

}  // namespace halftone
