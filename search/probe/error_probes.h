// The errors that single decisions make: at the results of the group, on operands that float32 left
// there, and at the outputs of the network.
#pragma once

#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "search/probe/activation_cache.h"
#include "search/probe/probe_options.h"
#include "search/probe/sensitivity.h"
#include "search/space/decisions.h"
#include "search/space/subgraph.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"

namespace halftone {

// For one group and one format, with x the operands, r(x) rounded ones, F the group in float32
// and C the group as the choice has it:
//   rounding error  F(r(x)) - F(x)      own error  C(x) - F(r(x))
// The rounding error is made once, by whoever rounds first; the own error by the group in any case.
// The gain is measured with C(x) - F(x) of one choice, the one with the largest finite error.
class ErrorProbes {
 public:
  // Runs the network in float32 on the samples and keeps what the groups read and make
  // (search/probe/activation_cache.h); `losses` as for Prober::Probe(). Everything else must
  // outlive it.
  ErrorProbes(const Decisions& decisions, const Dataset& dataset, const ProbeOptions& options,
              const ThreadPool& pool, std::span<const double> losses = {});

  [[nodiscard]] std::size_t samples() const { return cache_.samples(); }

  // Fills everything but the times. Groups in their order are the cheapest.
  void ProbeGroup(std::size_t group, GroupSensitivity& sensitivity);

  // Of the probes behind groups, counting an operator of the network as one, and of making what
  // they read, again where it was not kept; those of single groups are not counted.
  [[nodiscard]] double evaluations() const { return (runs_ + cache_.runs()) / runs_of_a_plan_; }

  [[nodiscard]] const ActivationCache& cache() const { return cache_; }

 private:
  using Results = std::vector<Tensor>;
  [[nodiscard]] std::vector<Tensor> InputsOf(const Graph& graph, std::size_t sample) const;
  [[nodiscard]] std::vector<Tensor> Run(const Executable& executable,
                                        std::span<const Tensor> inputs) const;
  // Error power at the network's outputs when the group made `made` on a sample; where none of them
  // is floating, of the values that decide them, and the square of the share of elements that
  // differ.
  [[nodiscard]] double ErrorBehind(const Subgraph& behind, const Executable* executable,
                                   const Subgraph& part, std::size_t sample,
                                   std::span<const Tensor> made);
  // By sample: error power at the outputs over `errors`, what the group made instead of float32's.
  [[nodiscard]] std::vector<double> GainsOf(const DecisionGroup& group, const Subgraph& part,
                                            std::span<const Results> made,
                                            std::span<const double> errors, double& mean);

  const Decisions& decisions_;
  const ThreadPool& pool_;
  SharedConstants own_;
  CompileOptions compile_;
  bool discrete_;  // no output of the network is floating
  PrecisionPlan reference_;
  double runs_of_a_plan_ = 0;  // that measuring it takes at least
  ActivationCache cache_;
  double runs_ = 0;  // of the network on one sample
};

}  // namespace halftone
