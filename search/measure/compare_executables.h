// Latency ratio of two executables, measured with a clock in paired rounds over several placements
// of their buffers. The protocol: docs/internals/latency.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "kernels/parallel.h"
#include "search/measure/measurer.h"
#include "search/measure/paired_rounds.h"
#include "search/measure/placements.h"
#include "search/trial/trial.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone {

// An executable with its own buffers, and a sample in the dtypes of its inputs.
struct ExecutableRunner {
  // `runs` must outlive it.
  ExecutableRunner(const Executable& runs, const Sample& sample);
  // The arena may be that of others, too (Executable::NewWorkspace()).
  ExecutableRunner(const Executable& runs, const Sample& sample, Tensor arena);

  const Executable* executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// Compares both in their present buffers. The values in the buffers do not matter, because kernel
// times depend on values only if these are subnormal.
Latency CompareRunners(ExecutableRunner& candidate, ExecutableRunner& anchor,
                       const ThreadPool& pool, const PairedRoundsOptions& rounds);

// MeasureAnchor() of the executable in its present buffers.
Latency TimeAnchor(ExecutableRunner& anchor, const ThreadPool& pool,
                   const PairedRoundsOptions& rounds);

// Bytes of the constants of a graph; an executable without shared constants holds about as many.
std::int64_t ConstantBytes(const Graph& graph);

struct CompareOptions {
  double budget_s = 2.0;  // seconds of timed runs, for both together
  std::uint64_t seed = 1;
  int placements = kPlacements;
  // Runs and rounds of each placement (PairedRoundsOptions).
  int warm_up_runs = PairedRoundsOptions().warm_up_runs;
  int min_rounds = PairedRoundsOptions().min_rounds;
  double slow_budget_factor = PairedRoundsOptions().slow_budget_factor;
  // most_warm_up_s and min_rounds_s are chosen, not measured: a run of half a second fills every
  // cache and buffer once.
  double most_warm_up_s = 0.5;
  double min_rounds_s = 2;
  std::int64_t constant_bytes = 0;  // that each executable holds for itself
  // After kFewestPlacements, no placement begins that would end later than this, if it takes the
  // mean of those before it.
  double most_s = std::numeric_limits<double>::infinity();
  // Called before each placement, and as PairedRoundsOptions::stop_requested.
  std::function<bool()> stop_requested = {};
};

// Rounds of a plan that is raced (LatencySource::Race()) for `budget_s` seconds: kQuickRounds at
// least. Fewer are required, and the budget is shorter, where a run takes long or all rounds
// together would take more than `most_s` seconds.
PairedRoundsOptions QuickRounds(double budget_s, double most_s);

// Seconds from which the cost of a comparison is estimated.
struct CompareCosts {
  double compile_s = 0;  // seconds to compile one executable, buffers included
  double run_s = 0;      // seconds of one run of each, together
};

// Seconds of the shortest comparison that FitInto() returns.
double LeastConfirmSeconds(const CompareCosts& costs);

// Returns `full`, with most_s, if it takes at most time.aim_s. Otherwise a comparison with fewer
// placements and rounds that takes about time.aim_s, but no fewer than kFewestPlacements placements
// of two rounds each, and kSlowPlacements where there is time for them. Empty if even the fewest
// take longer than time.most_s.
std::optional<CompareOptions> FitInto(const CompareOptions& full, const CompareCosts& costs,
                                      const ConfirmTime& time);

// Number of earlier placements that stay alive beside a new one whose executables and buffers have
// `bytes` in all: as many as fit into 1 GiB together with it, 12 at most.
std::size_t PlacementsToKeep(std::int64_t bytes);

// Compiles both executables anew for each placement, so that no lucky placement of buffers decides,
// and the interval includes the spread between placements (search/measure/placements.h). If the
// first placement takes more than twice its share of the budget, only kSlowPlacements are compared.
// The result has no samples if the comparison was stopped before the first round.
Latency CompareExecutables(const std::function<Executable()>& candidate,
                           const std::function<Executable()>& anchor, const Sample& sample,
                           const ThreadPool& pool, const CompareOptions& options);

}  // namespace halftone
