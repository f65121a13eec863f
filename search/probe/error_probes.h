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

// For one group and one format, with x the operands, r(x) rounded ones, F the group in float32
// and C the group as the choice has it:
//   rounding error  F(r(x)) - F(x)      own error  C(x) - F(r(x))
// The rounding error occurs once, where the operand is first rounded; the own error always. The
// gain is measured with C(x) - F(x) of the choice with the largest finite error, once for formats
// with a scale and once for the others.
class ErrorProbes {
 public:
  // Runs the network in float32 on the samples and caches operands and results of the groups
  // (search/probe/activation_cache.h); `losses` as for Prober::Probe(). Everything else must
  // outlive it.
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

  // Readers of the results of a group, as far as the outputs; without an executable there are none.
  struct Behind {
    Subgraph part;
    std::optional<Executable> executable = {};
  };

  [[nodiscard]] Behind BehindGroup(const DecisionGroup& group) const;

  // Sets the errors of a group with integer or boolean results to those that each choice and each
  // rounding of operands leaves at the outputs: an element is another or not, so no gain foretells
  // them.
  void CarryEach(std::size_t index, const Subgraph& part, const Made& made,
                 GroupSensitivity& sensitivity);

  // Multiplies the errors at the results of the group by what each kind grows by on its way to the
  // outputs.
  void CarryToOutputs(std::size_t index, const Subgraph& part, std::span<const Carried> carried,
                      GroupSensitivity& sensitivity);

  [[nodiscard]] std::vector<Tensor> InputsOf(const Graph& graph, std::size_t sample) const;
  [[nodiscard]] std::vector<Tensor> Run(const Executable& executable,
                                        std::span<const Tensor> inputs) const;
  // Error power at the network's outputs when the group produced `made` on a sample; where no
  // output is floating, that of the values that decide them. Plus the square of the share of
  // elements that differ in an output where no output is floating, or the group has integer or
  // boolean results itself.
  [[nodiscard]] double ErrorBehind(const Behind& behind, const Subgraph& part, std::size_t sample,
                                   std::span<const Tensor> made);
  // Per sample: output error power divided by `errors`, the error power of the group's results
  // `made`.
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
