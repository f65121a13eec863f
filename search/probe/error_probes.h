// Probes of the error of single decisions: at the results of the group, on float32 operands, and at
// the outputs of the network.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "search/probe/activation_cache.h"
#include "search/probe/error_carrier.h"
#include "search/probe/error_cuts.h"
#include "search/probe/probe_options.h"
#include "search/probe/probed_network.h"
#include "search/probe/relative_power.h"
#include "search/probe/sensitivity.h"
#include "search/space/decisions.h"
#include "search/space/subgraph.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"

namespace halftone {

// Sensitivities of all groups, without errors and times.
std::vector<GroupSensitivity> Unprobed(const Decisions& decisions);

// Samples on which errors are probed, and the way that the errors are carried to the outputs.
struct ErrorEffort {
  std::size_t samples = 1;
  ErrorCuts cuts;
  double runs = 0;  // cost, in runs of the network on one sample; includes runs of single groups
};

// Returns the effort within the limits of `options`, or the least one if that exceeds them.
// `steps`: ProbedNetwork::steps. `samples`: of the dataset. `groups`: choices that are refused cost
// nothing.
ErrorEffort PlanErrorEffort(const Decisions& decisions, const Graph& steps,
                            const ProbeOptions& options, std::size_t samples,
                            std::span<const GroupSensitivity> groups);

// Errors of one group in one format, with x the operands, r(x) the rounded operands, F the group in
// float32 and C the group in the choice:
//   rounding error  F(r(x)) - F(x)      own error  C(x) - F(r(x))
// A plan has the rounding error once, where the operand is first rounded, and the own error of
// every group. The gain of a group is the error power at the outputs over the error power at its
// results. It is measured with C(x) - F(x) of the choice with the largest finite error, once for
// formats with a scale and once for the others (search/probe/error_carrier.h).
class ErrorProbes {
 public:
  // Runs the network in float32 on the samples and caches operands and results of the groups
  // (search/probe/activation_cache.h). `losses` as for Prober::Probe(). `groups`: what is known of
  // the groups; choices that are refused there are not probed. Empty: nothing is known. The
  // other arguments must outlive it.
  ErrorProbes(const Decisions& decisions, const Dataset& dataset, const ProbeOptions& options,
              const ThreadPool& pool, std::span<const double> losses = {},
              std::vector<GroupSensitivity> groups = {});

  [[nodiscard]] std::size_t samples() const { return cache_.samples(); }

  // Probes all groups, and returns everything but their times. `goes_on` is called after each group
  // with the number of probed groups; false ends the probes early.
  [[nodiscard]] std::vector<GroupSensitivity> ProbeAll(
      const std::function<bool(std::size_t)>& goes_on = {});

  // Cost of the probes, in evaluations (Sensitivity::evaluations). It includes the runs of nodes
  // downstream of groups and the runs that fill the cache, with equal weight per operator; runs of
  // single groups are not counted.
  [[nodiscard]] double evaluations() const {
    return (carrier_.runs() + cache_.runs()) / runs_of_a_plan_;
  }

  // True: errors were carried to cuts, not to the outputs.
  [[nodiscard]] bool has_cuts() const { return effort_.cuts.ends.size() > 1; }

  [[nodiscard]] const ActivationCache& cache() const { return cache_; }

 private:
  using Results = std::vector<Tensor>;

  // The choice with the largest finite error in one kind of formats; 0: none.
  struct Largest {
    std::size_t choice = 0;
    std::vector<Results> results = {};
    std::vector<double> errors = {};  // per sample, including those of rounded operands
  };

  // Results of a group on the samples: of each choice, and of float32 on operands rounded to each
  // format.
  struct Made {
    const std::vector<std::vector<Results>>& by_choice;
    const std::map<NumericFormat, std::vector<RelativePowers>>& on_rounded;
  };

  // Results of a group in float32, by sample: on exact operands, and on operands rounded to each
  // format.
  struct InFloat32 {
    std::vector<RelativePowers> exact = {};
    std::map<NumericFormat, std::vector<RelativePowers>> on_rounded = {};
  };

  // Runs a group in float32. Sets its largest value and the errors of its rounded operands.
  [[nodiscard]] InFloat32 RunInFloat32(std::size_t index, const Subgraph& part);
  // Runs a group in choice `c`, and sets the errors at its results.
  [[nodiscard]] Largest ProbeChoice(std::size_t index, std::size_t c, const Subgraph& part,
                                    const InFloat32& in_float32);

  // Sets the errors of a group with integer or boolean results: runs the nodes downstream for each
  // choice and for each rounding of operands, and measures the errors at the outputs. An element of
  // such a result is equal or not, so no gain predicts these errors.
  void CarryEach(std::size_t index, const Made& made, GroupSensitivity& sensitivity);

  // Multiplies the errors at the results of the groups of a segment by their gains to the outputs,
  // which are measured for each kind of formats.
  void TakeGains();

  // Fills everything but the times of groups_[group]. Errors at the outputs are filled as soon as
  // all groups of the same segment have been probed (search/probe/error_cuts.h); without cuts, at
  // once. Groups must be probed in the order of Order().
  void ProbeGroup(std::size_t group);

  // All groups, segment by segment.
  [[nodiscard]] std::vector<std::size_t> Order() const;

  [[nodiscard]] std::vector<Tensor> InputsOf(const Graph& graph, std::size_t sample) const;
  [[nodiscard]] std::vector<Tensor> Run(const Executable& executable,
                                        std::span<const Tensor> inputs) const;
  const Decisions& decisions_;
  const ThreadPool& pool_;
  SharedConstants own_;
  CompileOptions compile_;
  PrecisionPlan reference_;
  double runs_of_a_plan_ = 0;  // least number of runs that measure a plan
  ProbedNetwork network_;
  std::vector<GroupSensitivity> groups_;
  bool leaves_out_ = false;  // some choice is refused from the beginning
  ErrorEffort effort_;
  ActivationCache cache_;
  ErrorCarrier carrier_;
  std::map<NodeId, std::size_t> left_;  // groups to be probed, by end of their segment
};

}  // namespace halftone
