// New measurement of a shipped front within a time budget: the chosen point first, then the other
// points, fastest first.
#pragma once

#include <string>
#include <vector>

#include "src/api/retune/retune.h"
#include "src/api/tune/prepare.h"
#include "src/base/time_budget.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Shipped front with its new measurements.
struct Remeasured {
  std::vector<RetunedPoint> points;  // parallel to ShippedFront::members
  Reference reference;
  std::vector<std::string> warnings;
};

// Measures every member in turns with the anchor. RetunedPoint::measured is false for a member that
// was left out because of a stop or the budget. If the budget is too short for float32 on the
// samples, it is false for all members, and a warning says how long float32 takes. `same_data`: the
// samples are those of the shipped measurement.
Remeasured Remeasure(const Prepared& prepared, const ShippedFront& front, bool same_data,
                     const TuneCallbacks& callbacks, TimeBudget& budget);

// For a front with bounds on accuracy, adds the accuracy of its points on held-out samples, and the
// certificate of the chosen point (search/trial/certify.h). Adds a warning if there are no held-out
// samples. If there is no time to judge the chosen point, it becomes RetunedPoint::undecided.
Remeasured WithPromises(const Prepared& prepared, const ShippedFront& front, Remeasured now,
                        TimeBudget& budget);

}  // namespace halftone
