// Choice of the configuration that a job writes: the baseline, unless the chosen point is faster.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

// True if the baseline meets the bounds, and the latencies of the baseline and of the chosen point
// do not differ beyond the uncertainty of the measurement. Requires a baseline and a chosen point.
bool KeepsBaseline(const TuneSummary& summary, const Constraints& constraints);

// Returns the summary with a single point, the one to write: the baseline if KeepsBaseline(), else
// the chosen point.
TuneSummary WithWrittenPoint(const TuneSummary& summary, const Constraints& constraints);

}  // namespace halftone
