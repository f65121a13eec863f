// Cost limits of the probes of a network, and how its parts are compiled for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/exec/executable.h"

namespace halftone {

struct ProbeOptions {
  int threads = 1;
  // Errors are probed on as many samples (search/probe/probe_samples.h) as keep the probes' cost at
  // this many evaluations (Sensitivity::evaluations), and at so many by group; but on no fewer than
  // min_samples, if there are.
  double error_evaluations = 10;
  double error_evaluations_per_group = 0.125;
  std::size_t min_samples = 1;
  // Of results that are kept for the probes. Where those of a few samples do not fit, checkpoints
  // are kept and the rest is made again (search/probe/activation_cache.h); fewer samples, but
  // always one, where these do not fit either, with a warning.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
  double time_budget_s = 3.0;  // of the runs that are timed; five at least of each plan
  std::uint64_t seed = 1;
  CompileOptions compile;
};

}  // namespace halftone
