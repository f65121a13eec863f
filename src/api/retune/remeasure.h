// The shipped front measured again, as far as the budget in time goes: the chosen point first, then
// the others from the fastest on.
#pragma once

#include <string>
#include <vector>

#include "src/api/retune/retune.h"
#include "src/api/tune/prepare.h"
#include "src/base/time_budget.h"
#include "src/report/tune_summary.h"

namespace halftone {

// The shipped front as it is now.
struct Remeasured {
  std::vector<RetunedPoint> points;  // of each member
  Reference reference;
  std::vector<std::string> warnings;
};

// Measures every member, with the anchor beside it. RetunedPoint::measured is false for a member
// that the user's stop or the budget leaves out. Without time for float32 on the samples it is
// false for all members, and a warning says how long float32 takes.
Remeasured Remeasure(const Prepared& prepared, const ShippedFront& front, bool same_data,
                     const TuneCallbacks& callbacks, TimeBudget& budget);

// Adds the accuracy of the points on held-out samples and the certificate of the chosen one
// (search/trial/certify.h), where the front has bounds on accuracy; without such samples, a warning
// that says so. A chosen point for which there is no time is undecided.
Remeasured WithPromises(const Prepared& prepared, const ShippedFront& front, Remeasured now,
                        TimeBudget& budget);

}  // namespace halftone
