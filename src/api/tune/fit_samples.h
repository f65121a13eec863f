// Samples for which the time budget of a tuning run has room: every plan runs on each of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/api/tune/search_samples.h"
#include "src/base/hash.h"
#include "src/base/time_budget.h"

namespace halftone {

// Digest of all samples and of the budget in seconds; reads the samples.
Hash128 AskedSamples(const Samples& samples, double budget_s);

// The samples reduced to the counts of `fitted`, evenly spaced, with its warning.
Samples Reduced(Samples samples, FittedSamples fitted);

// Most of a budget that a pass over the search samples takes, and that float32 and kJudgedPoints of
// the front take on the held-out samples. At 1 / 25, a plan that is timed for as long leaves room
// for ten plans and their confirmation.
inline constexpr double kPassShare = 0.04;
inline constexpr double kHeldoutShareOfTime = 0.1;
inline constexpr double kJudgedPoints = 4;

// The counts, halved until they fit a budget of so many seconds. Because counts are halved, a
// machine that is a little slower has the same samples for the same command, and stored results
// stay valid. A shape keeps at least one search sample, and may lose all held-out ones.
std::vector<ShapeSamples> CountsWithin(std::vector<ShapeSamples> shapes, double budget_s);

// Times one float32 run at each shape, if the budget has a limit that has not passed yet, and tells
// the budget the cost of a run. That run is never refused, because nothing else tells the cost of
// the network here. With TuneOptions::fit_samples it returns evenly spaced samples of `all`, with a
// warning that says how many and why; Samples::has_time says whether they fit. Errors as Compile().
Samples FitSamples(std::span<const Model> profiles, const TuneOptions& options, TimeBudget& budget,
                   Samples all);

}  // namespace halftone
