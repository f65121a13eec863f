// The prober that runs the network: on a few samples in float32 with everything kept, then each
// group alone in each of its choices, then what lies behind the group with the group's real error.
#pragma once

#include <cstdint>

#include "kernels/parallel.h"
#include "search/prober.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone {

struct ProbeOptions {
  int threads = 1;
  // Errors are probed on as many samples (search/probe_samples.h) as keep the probes' cost at this
  // many evaluations (Sensitivity::evaluations), and at so many by group; but on no fewer than
  // min_samples, if there are.
  double error_evaluations = 10;
  double error_evaluations_per_group = 0.125;
  std::size_t min_samples = 1;
  // Of results that are kept for the probes. Where those of a few samples do not fit, checkpoints
  // are kept and the rest is made again (search/kept_results.h); fewer samples, but always one,
  // where these do not fit either, with a warning.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
  double time_budget_s = 3.0;  // of the runs that are timed; five at least of each plan
  std::uint64_t seed = 1;
  CompileOptions compile;
};

// `graph` and `dataset` must outlive it. Not thread safe; nothing else should run meanwhile.
class NetworkProber : public Prober {
 public:
  NetworkProber(const Graph& graph, const Dataset& dataset, ProbeOptions options = {},
                ProbeHooks hooks = {});

  // Error kUnsupported for a network that cannot run in float32.
  Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) override;

 private:
  void ProbeTimes(const Decisions& decisions, Sensitivity& sensitivity) const;
  void ProbeErrors(const Decisions& decisions, std::span<const double> losses,
                   Sensitivity& sensitivity) const;

  const Graph& graph_;
  const Dataset& dataset_;
  ProbeOptions options_;
  ProbeHooks hooks_;
  ThreadPool pool_;
};

}  // namespace halftone
