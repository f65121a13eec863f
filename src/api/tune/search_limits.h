// Time limits of a search.
#pragma once

#include <cstdint>

#include "search/measure/shapes_measurer.h"
#include "search/tuner.h"
#include "src/api/tune_callbacks.h"

namespace halftone {

// Budget of a latency that is predicted, not measured: seconds, as a budget has to be above 0.
inline constexpr double kPredictedBudget_s = 1e-6;

// Mean seconds of a float32 run.
double SecondsOfRun(const ShapesMeasurer& measurer);

// Fewest runs in which the latency of a plan is measured, those of float32 beside it included; 0:
// it is predicted.
double RunsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer);

double RunsOfPlan(const TuneOptions& options, std::size_t shapes);

// Estimated time to measure a plan.
double SecondsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer,
                     std::int64_t samples);

// The tighter of the limits on the search and on the whole run. The limit on the whole run leaves
// time for confirming the front and for what follows.
TunerOptions LimitsOf(const TuneOptions& options, const ShapesMeasurer& measurer,
                      std::int64_t heldout_count);

}  // namespace halftone
