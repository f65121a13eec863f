// Prober that runs the network. For the errors, it runs the network in float32 on a few samples and
// caches the activations; then each group alone in each of its choices; then the nodes downstream,
// with the actual error of the group. For the times, it runs whole plans.
#pragma once

#include "kernels/parallel.h"
#include "search/probe/probe_options.h"
#include "search/probe/prober.h"
#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

// Least cost of the probes.
struct LeastProbes {
  double error_runs = 0;   // runs of the network on one sample
  double timed_plans = 0;  // plans that are compiled
  double timed_runs = 0;   // their runs
};

LeastProbes LeastProbesOf(const Decisions& decisions);

// `graph` and `dataset` must outlive it. It is not thread safe, and nothing else should run during
// the probes.
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
