// Selection of samples that fit the time budget of a tuning run, in which every plan runs on every
// sample.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/api/tune/search_samples.h"
#include "src/base/hash.h"
#include "src/base/time_budget.h"

namespace halftone {

// Hash of all samples and of the budget in seconds. Reads the samples.
Hash128 AskedSamples(const Samples& samples, double budget_s);

// Keeps as many samples as `fitted` has, evenly spaced, and adds its warning.
Samples Reduced(Samples samples, FittedSamples fitted);

// Largest share of the budget for one pass over the search samples. If the timing of a plan takes
// as long as its pass, the budget has room for ten plans and their confirmation.
inline constexpr double kPassShare = 0.04;
// Largest share of the budget for float32 and kJudgedPoints points on the held-out samples.
inline constexpr double kHeldoutShareOfTime = 0.1;
inline constexpr double kJudgedPoints = 4;

// Halves the numbers of search samples until a pass fits into kPassShare of `budget_s`, and those
// of held-out samples until their runs fit into kHeldoutShareOfTime. Halving makes it likely that a
// slightly slower machine uses the same samples for the same command, so that stored results stay
// valid. Each shape keeps at least one search sample; all held-out samples may go.
std::vector<ShapeSamples> CountsWithin(std::vector<ShapeSamples> shapes, double budget_s);

// Returns `all` if the budget has no limit. Otherwise times one float32 run at each shape, even if
// the rest of the budget may be shorter than that run, and tells the budget the seconds of a run.
// With TuneOptions::fit_samples, reduces the samples to CountsWithin(). Samples::has_time is false
// if the rest of the budget is too short for float32 on the remaining samples. Errors as Compile().
Samples FitSamples(std::span<const Model> profiles, const TuneOptions& options, TimeBudget& budget,
                   Samples all);

}  // namespace halftone
