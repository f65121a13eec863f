// The prober that runs the network: first in float32 on a few samples, with activations cached;
// then each group alone in each of its choices; then the nodes downstream, with the group's actual
// error.
#pragma once

#include "kernels/parallel.h"
#include "search/probe/probe_options.h"
#include "search/probe/prober.h"
#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

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
