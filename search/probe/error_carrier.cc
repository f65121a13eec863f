#include "search/probe/error_carrier.h"

#include <numeric>
#include <utility>

#include "search/probe/relative_power.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/metrics.h"

namespace halftone {
namespace {

// By value at a cut, per sample.
using PerValue = std::map<ValueId, std::vector<double>>;

// Error powers at the outputs, per sample: the sum over the values at the cut of power x gain.
std::vector<double> AtOutputsFrom(std::size_t samples, const PerValue& powers,
                                  const PerValue& gains) {
  std::vector<double> sums(samples, 0);
  for (const auto& [id, of_value] : powers) {
    const std::vector<double>& by = gains.at(id);
    for (std::size_t s = 0; s < of_value.size(); ++s) {
      sums[s] += of_value[s] * by[s];
    }
  }
  return sums;
}

// Results of the group's steps as values of the network.
std::map<ValueId, Tensor> ValuesOf(const Subgraph& part, std::span<const Tensor> results) {
  std::map<ValueId, Tensor> values;
  for (std::size_t i = 0; i < results.size(); ++i) {
    values.emplace(part.graph.outputs[i], results[i]);
  }
  return values;
}

}  // namespace

ErrorCarrier::ErrorCarrier(const Decisions& decisions, const ActivationCache& cache,
                           const ErrorCuts& cuts, const PrecisionPlan& reference,
                           const CompileOptions& compile, const ThreadPool& pool)
    : decisions_(decisions),
      cache_(cache),
      cuts_(cuts),
      reference_(reference),
      compile_(compile),
      pool_(pool),
      discrete_(AllOutputsDiscrete(decisions.graph())) {}

ErrorCarrier::Between ErrorCarrier::BetweenIn(const Subgraph& of_steps) const {
  Between between{.part = Expanded(cache_.network().graph, decisions_.steps(), of_steps)};
  if (!between.part.graph.outputs.empty()) {
    between.executable.emplace(
        Compile(between.part.graph, PlanOf(between.part, reference_), compile_));
  }
  return between;
}

std::map<ValueId, Tensor> ErrorCarrier::Run(const Between& between, std::size_t sample,
                                            std::map<ValueId, Tensor> changed) {
  if (between.executable) {
    std::vector<Tensor> inputs;
    for (const ValueId id : between.part.graph.inputs) {
      inputs.push_back(changed.contains(id) ? changed.at(id) : cache_.At(sample, id));
    }
    std::vector<Tensor> results = RunOnce(*between.executable, inputs, pool_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      changed.insert_or_assign(between.part.graph.outputs[i], std::move(results[i]));
    }
  }
  runs_ += static_cast<double>(between.part.nodes.size()) /
           static_cast<double>(decisions_.graph().nodes.size());
  return changed;
}

double ErrorCarrier::ErrorOf(const std::map<ValueId, Tensor>& values, std::size_t sample,
                             bool adds_differences) const {
  std::vector<Tensor> reference;
  std::vector<Tensor> actual;
  for (const ValueId id : cache_.network().graph.outputs) {
    if (const Tensor* kept = cache_.Find(sample, id)) {
      reference.push_back(*kept);
      actual.push_back(values.contains(id) ? values.at(id) : *kept);
    }
  }
  const SampleView view({.reference = reference, .actual = actual, .labels = {}});
  const double rel_l2 = FindMetric("rel_l2")->of_sample(view).value_or(0);
  const double differ =
      adds_differences ? 1 - FindMetric("agreement")->of_sample(view).value_or(1) : 0;
  return rel_l2 * rel_l2 + differ * differ;
}

std::vector<double> ErrorCarrier::AtOutputs(const DecisionGroup& group,
                                            std::span<const Results> results,
                                            bool adds_differences) {
  const Subgraph part = Expanded(cache_.network().graph, decisions_.steps(),
                                 PartOf(cache_.network().steps, group.steps));
  const Between behind = BetweenIn(BehindOf(cache_.network().steps, group.steps));
  std::vector<double> errors(cache_.samples(), 0);
  for (std::size_t s = 0; s < results.size(); ++s) {
    errors[s] =
        ErrorOf(Run(behind, s, ValuesOf(part, results[s])), s, adds_differences || discrete_);
  }
  return errors;
}

void ErrorCarrier::Carry(const Load& load) {
  const DecisionGroup& group = decisions_.groups()[load.index];
  const Graph& steps = cache_.network().steps;
  Carried carried{.index = load.index,
                  .kind = load.kind,
                  .errors = {load.errors.begin(), load.errors.end()},
                  .at_outputs = {}};
  end_ = cuts_.EndOf(group);
  if (end_ == std::ssize(steps.nodes)) {
    carried.at_outputs = AtOutputs(group, load.results, false);
    carried_.push_back(std::move(carried));
    return;
  }
  const std::vector<ValueId> at_cut = ValuesAt(steps, end_);
  const Subgraph part =
      Expanded(cache_.network().graph, decisions_.steps(), PartOf(steps, group.steps));
  const Between between = BetweenIn(BehindOf(steps, group.steps, end_));
  std::map<ValueId, std::vector<Tensor>> arrived;
  for (std::size_t s = 0; s < load.results.size(); ++s) {
    const std::map<ValueId, Tensor> values = Run(between, s, ValuesOf(part, load.results[s]));
    for (const ValueId id : at_cut) {
      if (const auto found = values.find(id); found != values.end()) {
        const Tensor& exact = cache_.At(s, id);
        carried.at_cut[id].push_back(
            RelativePower({&exact, 1}, {&found->second, 1}).value_or(kMostRelativePower));
        arrived[id].push_back(found->second);
      }
    }
  }
  for (auto& [id, tensors] : arrived) {
    const std::vector<double>& errors = carried.at_cut.at(id);
    Largest& largest = largest_[load.kind][id];
    const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
    if (sum > largest.sum) {
      largest = {.tensors = std::move(tensors), .errors = errors, .sum = sum};
    }
  }
  carried_.push_back(std::move(carried));
}

std::vector<double> ErrorCarrier::GainsFrom(ValueId value, const Largest& largest) {
  const Between behind = BetweenIn(DownstreamOf(cache_.network().steps, {&value, 1}, end_));
  std::vector<double> gains(cache_.samples(), 0);
  for (std::size_t s = 0; s < largest.errors.size(); ++s) {
    if (largest.errors[s] > 0) {
      const double error = ErrorOf(Run(behind, s, {{value, largest.tensors[s]}}), s, discrete_);
      gains[s] = error / largest.errors[s];
    }
  }
  return gains;
}

std::vector<ErrorCarrier::Gain> ErrorCarrier::Arrive() {
  std::array<PerValue, kKinds> from_cut;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (const auto& [id, largest] : std::exchange(largest_[kind], {})) {
      from_cut[kind][id] = GainsFrom(id, largest);
    }
  }
  std::vector<Gain> gains;
  for (Carried& carried : std::exchange(carried_, {})) {
    if (carried.at_outputs.empty()) {
      carried.at_outputs =
          AtOutputsFrom(carried.errors.size(), carried.at_cut, from_cut[carried.kind]);
    }
    Gain& gain = gains.emplace_back();
    gain.index = carried.index;
    gain.kind = carried.kind;
    double at_outputs = 0;
    double here = 0;
    for (std::size_t s = 0; s < carried.errors.size(); ++s) {
      gain.of_sample.push_back(carried.errors[s] > 0 ? carried.at_outputs[s] / carried.errors[s]
                                                     : 0);
      at_outputs += carried.at_outputs[s];
      here += carried.errors[s];
    }
    gain.mean = at_outputs / here;
  }
  return gains;
}

}  // namespace halftone
