// Time limits of a search, and the estimates on which they rest.
#pragma once

#include <cstddef>
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

// Costs on which the estimates rest.
struct RunCosts {
  double run_s = 0;      // mean seconds of a float32 run on one sample
  double pass_s = 0;     // seconds to read all samples and run float32 on them
  double compile_s = 0;  // seconds to compile float32 at all shapes
  std::size_t samples = 1;
  std::size_t shapes = 1;
};

// Costs that the measurer learnt from the pass over its samples. With one sample that was the first
// run of a network, which also touches weights and memory for the first time. So `known_run_s`, the
// seconds of a run known before, counts if it is less, unless it is 0 or there are several shapes.
RunCosts CostsOf(const ShapesMeasurer& measurer, double known_run_s);

// Least number of runs for the latency of a plan at all shapes, including those of float32 in turns
// with it; 0 if latencies are predicted.
double RunsOfPlan(const TuneOptions& options, const RunCosts& costs);

// Estimated seconds to compile a plan, judge its accuracy and measure its latency.
double SecondsOfPlan(const TuneOptions& options, const RunCosts& costs);

// Limits of the search. Its time limit is the shorter of the limit on the search and the limit on
// the whole run. If the latter applies, the search leaves time to confirm the front, and for the
// work after that.
TunerOptions LimitsOf(const TuneOptions& options, const RunCosts& costs,
                      std::int64_t heldout_count);

}  // namespace halftone
