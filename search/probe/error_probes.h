// Errors of single decisions: at the results of the group, on float32 operands, and at the outputs
// of the network.
#pragma once

#include <map>
#include <optional>
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

// For one group and one format, with x the operands, r(x) the rounded operands, F the group in
// float32 and C the group in the choice:
//   rounding error  F(r(x)) - F(x)      own error  C(x) - F(r(x))
// A plan has the rounding error once, where the operand is first rounded, and the own error of
// every group. The gain is measured with C(x) - F(x) of the choice with the largest finite error,
// once for formats with a scale and once for the others.
class ErrorProbes {
 public:
  // Runs the network in float32 on the samples and caches operands and results of the groups
  // (search/probe/activation_cache.h); `losses` as for Prober::Probe(). All arguments but `losses`
  // must outlive it.
  ErrorProbes(const Decisions& decisions, const Dataset& dataset, const ProbeOptions& options,
              const ThreadPool& pool, std::span<const double> losses = {});

  [[nodiscard]] std::size_t samples() const { return cache_.samples(); }

  // Fills everything but the times. Probing groups in their order is the cheapest.
  void ProbeGroup(std::size_t group, GroupSensitivity& sensitivity);

  // Cost of the downstream probes, in evaluations with equal weight per operator, including
  // recomputing inputs that were not cached; runs of single groups are not counted.
  [[nodiscard]] double evaluations() const { return (runs_ + cache_.runs()) / runs_of_a_plan_; }

  [[nodiscard]] const ActivationCache& cache() const { return cache_; }

 private:
  using Results = std::vector<Tensor>;

  // Formats with a scale, and the others.
  static constexpr std::size_t kKinds = 2;

  // The choice of a kind of formats with the largest finite error; 0: there is none.
  struct Carried {
    std::size_t choice = 0;
    std::vector<Results> results = {};
    std::vector<double> errors = {};  // per sample, rounded operands included
  };

  // Results of a group on the samples, by choice and, in float32 on rounded operands, by format.
  struct Made {
    const std::vector<std::vector<Results>>& by_choice;
    const std::map<NumericFormat, std::vector<Results>>& on_rounded;
  };

  // The network downstream of a group, up to the outputs; no executable if nothing is downstream.
  struct Behind {
    Subgraph part;
    std::optional<Executable> executable = {};
  };

  [[nodiscard]] Behind BehindGroup(const DecisionGroup& group) const;

  // Sets the errors of a group with integer or boolean results to the measured errors of each
  // choice and each rounding of operands at the outputs. An element of such a result is equal or
  // not, so no gain predicts these errors.
  void CarryEach(std::size_t index, const Subgraph& part, const Made& made,
                 GroupSensitivity& sensitivity);

  // Multiplies the errors at the results of the group by the gain of each kind to the outputs.
  void CarryToOutputs(std::size_t index, const Subgraph& part, std::span<const Carried> carried,
                      GroupSensitivity& sensitivity);

  [[nodiscard]] std::vector<Tensor> InputsOf(const Graph& graph, std::size_t sample) const;
  [[nodiscard]] std::vector<Tensor> Run(const Executable& executable,
                                        std::span<const Tensor> inputs) const;
  // Error power at the network's outputs when the group produced `made` on a sample; if no output
  // is floating, at the values that decide the outputs. If no output is floating or the group has
  // integer or boolean results, adds the square of the share of elements that differ in an output.
  [[nodiscard]] double ErrorBehind(const Behind& behind, const Subgraph& part, std::size_t sample,
                                   std::span<const Tensor> made);
  // Per sample: output error power over `errors`, the error power of the group's results `made`.
  [[nodiscard]] std::vector<double> GainsOf(const DecisionGroup& group, const Subgraph& part,
                                            std::span<const Results> made,
                                            std::span<const double> errors, double& mean);

  const Decisions& decisions_;
  const ThreadPool& pool_;
  SharedConstants own_;
  CompileOptions compile_;
  bool discrete_;  // no output of the network is floating
  PrecisionPlan reference_;
  double runs_of_a_plan_ = 0;  // least number of runs that measure a plan
  ActivationCache cache_;
  double runs_ = 0;  // runs of the network on one sample
};

}  // namespace halftone
