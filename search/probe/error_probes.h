// Probes of the error of single decisions: at the results of the group, on float32 operands, and at
// the outputs of the network.
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

// Errors of one group in one format, with x the operands, r(x) the rounded operands, F the group in
// float32 and C the group in the choice:
//   rounding error  F(r(x)) - F(x)      own error  C(x) - F(r(x))
// A plan has the rounding error once, where the operand is first rounded, and the own error of
// every group. The gain of a group is the error power at the outputs over the error power at its
// results. It is measured with C(x) - F(x) of the choice with the largest finite error, once for
// formats with a scale and once for the others.
class ErrorProbes {
 public:
  // Runs the network in float32 on the samples and caches operands and results of the groups
  // (search/probe/activation_cache.h). `losses` as for Prober::Probe(). All arguments but `losses`
  // must outlive it.
  ErrorProbes(const Decisions& decisions, const Dataset& dataset, const ProbeOptions& options,
              const ThreadPool& pool, std::span<const double> losses = {});

  [[nodiscard]] std::size_t samples() const { return cache_.samples(); }

  // Fills everything but the times. It is cheapest to probe the groups in their order.
  void ProbeGroup(std::size_t group, GroupSensitivity& sensitivity);

  // Cost of the probes, in evaluations (Sensitivity::evaluations). It includes the runs of nodes
  // downstream of groups and the runs that fill the cache, with equal weight per operator; runs of
  // single groups are not counted.
  [[nodiscard]] double evaluations() const { return (runs_ + cache_.runs()) / runs_of_a_plan_; }

  [[nodiscard]] const ActivationCache& cache() const { return cache_; }

 private:
  using Results = std::vector<Tensor>;

  // Two kinds of formats: those with a scale, and the others.
  static constexpr std::size_t kKinds = 2;

  // The choice with the largest finite error in one kind of formats; 0: none.
  struct Carried {
    std::size_t choice = 0;
    std::vector<Results> results = {};
    std::vector<double> errors = {};  // per sample, including those of rounded operands
  };

  // Results of a group on the samples: of each choice, and of float32 on operands rounded to each
  // format.
  struct Made {
    const std::vector<std::vector<Results>>& by_choice;
    const std::map<NumericFormat, std::vector<Results>>& on_rounded;
  };

  // The network downstream of a group, up to the outputs; without an executable if nothing is
  // downstream.
  struct Behind {
    Subgraph part;
    std::optional<Executable> executable = {};
  };

  [[nodiscard]] Behind BehindGroup(const DecisionGroup& group) const;

  // Sets the errors of a group with integer or boolean results: runs the nodes downstream for each
  // choice and for each rounding of operands, and measures the errors at the outputs. An element of
  // such a result is equal or not, so no gain predicts these errors.
  void CarryEach(std::size_t index, const Subgraph& part, const Made& made,
                 GroupSensitivity& sensitivity);

  // Multiplies the errors at the results of the group by the gain to the outputs, which is measured
  // for each kind of formats.
  void CarryToOutputs(std::size_t index, const Subgraph& part, std::span<const Carried> carried,
                      GroupSensitivity& sensitivity);

  [[nodiscard]] std::vector<Tensor> InputsOf(const Graph& graph, std::size_t sample) const;
  [[nodiscard]] std::vector<Tensor> Run(const Executable& executable,
                                        std::span<const Tensor> inputs) const;
  // Error power at the network's outputs when the group has produced `made` on a sample; if no
  // output is floating, at the values that decide the outputs (search/probe/judged_values.h). If no
  // output is floating, or the group has integer or boolean results, the square of the share of
  // elements that differ in an output is added.
  [[nodiscard]] double ErrorBehind(const Behind& behind, const Subgraph& part, std::size_t sample,
                                   std::span<const Tensor> made);
  // Gain of the group per sample: error power at the outputs over `errors`, the error powers of the
  // group's results `made`. `mean` becomes the gain over all samples.
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
  double runs_ = 0;  // downstream runs, as runs of the whole network on one sample
};

}  // namespace halftone
