// Cost limits of the probes of a network, and compile options of its subgraphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "search/measure/latency_source.h"
#include "src/exec/executable.h"

namespace halftone {

struct ProbeOptions {
  int threads = 1;
  // Limits on the cost of error probes, in evaluations (Sensitivity::evaluations): in all, and per
  // group. The smaller one determines the number of samples (search/probe/probe_samples.h), which
  // is at least min_samples if the dataset has so many.
  double error_evaluations = 10;
  double error_evaluations_per_group = 0.125;
  std::size_t min_samples = 1;
  // Limit on the cost of error probes in runs of the network on one sample, those of single groups
  // included. Above it, errors are carried to cuts (search/probe/error_cuts.h), then fewer samples
  // are probed, but at least one, even if it exceeds the limit.
  double most_error_runs = std::numeric_limits<double>::infinity();
  // Bytes of the activation cache. If the results of a few samples do not fit, it holds checkpoints
  // and recomputes the rest (search/probe/activation_cache.h). If these do not fit either, fewer
  // samples are probed, but at least one, with a warning.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
  double time_budget_s = 3.0;  // budget of timed runs (StepTimesOptions)
  // Limit on the number of timed runs. Above it, casts are timed in one plan for each number format
  // instead of one for each choice, even if this still exceeds the limit.
  double most_timed_runs = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 1;
  std::shared_ptr<LatencySource> latency = HostClock();  // never null
  CompileOptions compile;
};

}  // namespace halftone
