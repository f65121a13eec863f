// Samples of a tuning run that its budget in time has room for: every plan runs on each of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/api/tune/search_samples.h"
#include "src/base/hash.h"
#include "src/base/time_budget.h"

namespace halftone {

// Samples of one input shape, and the seconds of a float32 run at it.
struct ShapeSamples {
  double run_s = 0;
  std::size_t search = 0;
  std::size_t heldout = 0;

  friend bool operator==(const ShapeSamples&, const ShapeSamples&) = default;
};

// Samples that a search within a budget in time uses. The knowledge base keeps them with the front,
// so that the same command is answered without timing a run. Empty without such a budget.
struct FittedSamples {
  Hash128 asked;                   // AskedSamples() of all samples
  std::vector<ShapeSamples> used;  // by input shape
  std::string warning;             // how many and why; empty: all
};

// Digest of all samples and of the budget in seconds; reads the samples.
Hash128 AskedSamples(const LoadedData& loaded, double budget_s);

// Reduces the samples to the counts of `fitted`, evenly spaced, and adds its warning.
void ReduceSamples(const FittedSamples& fitted, LoadedData& loaded);

// Share of a budget that a pass over the search samples takes at most, and that float32 and
// kJudgedPoints of the front take on the held-out samples. With 1 / 25, a plan that is timed for as
// long leaves room for ten and their confirmation.
inline constexpr double kPassShare = 0.04;
inline constexpr double kHeldoutShareOfTime = 0.1;
inline constexpr double kJudgedPoints = 4;

// The counts, halved until they fit a budget of so many seconds: by powers of two, so that the same
// command on a machine that is a little slower has the same samples, which what is stored of them
// hangs on. A shape keeps one search sample at least, and may lose all held-out ones.
std::vector<ShapeSamples> CountsWithin(std::vector<ShapeSamples> shapes, double budget_s);

// Times one float32 run at each shape, where the budget has a limit that is not over yet, and tells
// the budget what a run costs: that run is never refused, because nothing else says what the
// network costs here. With TuneOptions::fit_samples it leaves evenly spaced samples of `loaded`,
// with a warning that says how many and why, and writes both into `fitted`. False: the budget
// has no time for float32 on the samples that are left. Errors as Compile().
bool FitSamples(std::span<const Model> profiles, const TuneOptions& options, TimeBudget& budget,
                LoadedData& loaded, FittedSamples& fitted);

}  // namespace halftone
