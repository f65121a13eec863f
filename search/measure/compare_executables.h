// Latency ratio of two executables: paired rounds over several placements of their buffers, with a
// clock. The protocol: docs/internals/latency.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/parallel.h"
#include "search/measure/measurer.h"
#include "search/measure/paired_rounds.h"
#include "search/measure/placements.h"
#include "search/trial/trial.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"

namespace halftone {

// An executable with buffers of its own, and a sample in the dtypes it wants.
struct ExecutableRunner {
  // `runs` must outlive it.
  ExecutableRunner(const Executable& runs, const Sample& sample);

  const Executable* executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// Compares both with their present buffers. Apart from subnormals, kernel times do not depend on
// values.
Latency CompareRunners(ExecutableRunner& candidate, ExecutableRunner& anchor,
                       const ThreadPool& pool, const PairedRoundsOptions& rounds);

struct CompareOptions {
  double budget_s = 2.0;  // seconds of timed runs, both together
  std::uint64_t seed = 1;
  int placements = kPlacements;
  // Runs and rounds of each placement (PairedRoundsOptions).
  int warm_up_runs = PairedRoundsOptions().warm_up_runs;
  int min_rounds = PairedRoundsOptions().min_rounds;
  double slow_budget_factor = PairedRoundsOptions().slow_budget_factor;
  // Chosen, not measured: a run that takes so long has filled every cache and buffer once.
  double most_warm_up_s = 0.5;
  double min_rounds_s = 2;
  // Asked before each placement, too.
  std::function<bool()> stop_requested = {};
};

// Cost of a comparison, seconds, estimated from one compilation and a run of both.
struct CompareCosts {
  double compile_s = 0;  // one of them, buffers included
  double run_s = 0;      // both, once
};

// `full` where it takes at most time.aim_s; else with fewer placements and rounds, so that it takes
// as long as is aimed at, or as kSlowPlacements of two rounds need. Empty: these take longer than
// time.most_s.
std::optional<CompareOptions> FitInto(const CompareOptions& full, const CompareCosts& costs,
                                      const ConfirmTime& time);

// Latency without samples: stopped before the first round. Compiles both anew several times, so
// that no lucky placement of buffers decides and the interval includes the spread between
// placements (search/measure/placements.h).
Latency CompareExecutables(const std::function<Executable()>& candidate,
                           const std::function<Executable()>& anchor, const Sample& sample,
                           const ThreadPool& pool, const CompareOptions& options);

}  // namespace halftone
