// Time limits of a search, and the estimates on which they rest.
#pragma once

#include <cstdint>

#include "search/measure/shapes_measurer.h"
#include "search/tuner.h"
#include "src/api/tune_callbacks.h"

namespace halftone {

// Seconds of a latency measurement if latencies are predicted; stands for 0, since a budget must be
// above 0.
inline constexpr double kPredictedBudget_s = 1e-6;

// Most seconds of the rounds of a plan, a share of a time budget; infinite without one. The fewest
// rounds may take longer.
double MostSecondsOfPlan(const TuneOptions& options);

// Least number of runs for the latency of a plan at all shapes, including those of float32 in turns
// with it; 0 if latencies are predicted.
double RunsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer);

double RunsOfPlan(const TuneOptions& options, std::size_t shapes, double run_s);

// Estimated seconds to compile a plan, judge its accuracy and measure its latency.
double SecondsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer);

// Limits of the search. Its time limit is the shorter of the limit on the search and the limit on
// the whole run. If the latter applies, the search leaves time to confirm the front, and for the
// work after that.
TunerOptions LimitsOf(const TuneOptions& options, const ShapesMeasurer& measurer,
                      std::int64_t heldout_count);

}  // namespace halftone
