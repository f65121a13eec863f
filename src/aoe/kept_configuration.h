// The configuration that a job writes: the given one, unless another is faster.
#pragma once

#include "src/api/halftone.h"

namespace halftone {

// True if the latency of the chosen point equals the baseline's within what was measured, and the
// baseline meets the bounds. The summary must have both.
bool KeepsBaseline(const TuneSummary& summary, const Constraints& constraints);

// The summary reduced to the point that is written, as the chosen one: the baseline where
// KeepsBaseline(), else the chosen point.
TuneSummary WithWrittenPoint(const TuneSummary& summary, const Constraints& constraints);

}  // namespace halftone
