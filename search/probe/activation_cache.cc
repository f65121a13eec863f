#include "search/probe/activation_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "search/space/subgraph.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Fewest samples whose results are all stored; if fewer fit, some results are recomputed from
// checkpoints.
constexpr std::size_t kWorthCheckpoints = 4;

// Inputs and everything that steps make.
CheckpointPlan KeepAll(const Graph& graph, std::size_t groups) {
  CheckpointPlan plan{
      .kept = graph.inputs, .again = {{}}, .segment_of = std::vector<std::size_t>(groups, 0)};
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) {
        plan.kept.push_back(id);
      }
    }
  }
  std::ranges::sort(plan.kept);
  for (const ValueId id : plan.kept) {
    plan.bytes += KeptBytes(graph, id);
  }
  return plan;
}

// Values that the carrier of errors reads (search/probe/error_carrier.h), besides those that it
// replaces: between the group and the end of its segment; and from there to the outputs, for the
// last group of the segment.
std::vector<GroupNeeds> NeedsOf(const Decisions& decisions, const Graph& steps,
                                const ErrorCuts& cuts) {
  std::vector<GroupNeeds> needs;
  std::map<NodeId, std::size_t> last;  // group by end of the segment
  for (const DecisionGroup& group : decisions.groups()) {
    const NodeId end = cuts.EndOf(group);
    const Graph part = PartOf(steps, group.steps).graph;
    last[end] = needs.size();
    GroupNeeds& of_group = needs.emplace_back();
    of_group.first = group.steps.front();
    of_group.values = part.inputs;
    for (const ValueId id : BehindOf(steps, group.steps, end).graph.inputs) {
      if (std::ranges::find(part.outputs, id) == part.outputs.end()) {
        of_group.values.push_back(id);
      }
    }
    if (end < std::ssize(steps.nodes)) {
      std::ranges::copy(ValuesAt(steps, end), std::back_inserter(of_group.values));
    }
  }
  for (const auto& [end, group] : last) {
    if (end < std::ssize(steps.nodes)) {
      for (const ValueId id : ValuesAt(steps, end)) {
        std::ranges::copy(DownstreamOf(steps, {&id, 1}, end).graph.inputs,
                          std::back_inserter(needs[group].values));
      }
    }
  }
  return needs;
}

std::int64_t BytesOf(const std::map<ValueId, Tensor>& kept) {
  std::int64_t bytes = 0;
  for (const auto& [id, tensor] : kept) {
    bytes += TensorType{tensor.dtype(), tensor.shape()}.size_bytes();
  }
  return bytes;
}

}  // namespace

ActivationCache::ActivationCache(const ProbeSetup& setup, const Dataset& dataset,
                                 std::size_t wanted, std::span<const double> losses)
    : setup_(setup) {
  const Graph& graph = setup_.network.graph;
  const std::size_t count = dataset.size();
  probed_ = ChooseProbedSamples(count, Plan(count, wanted), losses);
  std::vector<ValueId> made = plan_.kept;
  std::erase_if(
      made, [&](ValueId id) { return std::ranges::find(graph.inputs, id) != graph.inputs.end(); });
  const Subgraph whole = WholeOf(graph, made);
  const Executable executable =
      Compile(whole.graph, PlanOf(whole, setup_.reference), setup_.compile);
  for (const std::size_t number : probed_.numbers) {
    std::vector<Tensor> inputs = executable.ConvertInputs(dataset.Read(number).inputs);
    std::vector<Tensor> results = RunOnce(executable, inputs, setup_.pool);
    Activations& kept = stored_.emplace_back();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      kept.emplace(graph.inputs[i], std::move(inputs[i]));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      kept.emplace(made[i], std::move(results[i]));
    }
  }
  again_.resize(stored_.size());
  runs_ = static_cast<double>(stored_.size());
  CountBytes();
}

std::size_t ActivationCache::Plan(std::size_t count, std::size_t wanted) {
  wanted = std::clamp<std::size_t>(wanted, 1, count);
  const std::size_t least =
      std::min(wanted, std::max(setup_.options.min_samples, kWorthCheckpoints));
  const std::int64_t limit = setup_.options.max_kept_bytes;
  plan_ = KeepAll(setup_.network.steps, setup_.decisions.groups().size());
  const std::int64_t fit = limit / std::max<std::int64_t>(plan_.bytes, 1);
  if (fit >= static_cast<std::int64_t>(least)) {
    return std::min(wanted, static_cast<std::size_t>(fit));
  }
  const std::vector<GroupNeeds> needs =
      NeedsOf(setup_.decisions, setup_.network.steps, setup_.cuts);
  std::size_t samples = least;
  for (;; --samples) {
    const std::int64_t each = limit / static_cast<std::int64_t>(samples);
    plan_ = PlanCheckpoints(setup_.network.steps, needs, each);
    if (plan_.bytes <= each || samples == 1) {
      break;
    }
  }
  if (plan_.bytes > limit || samples < least) {
    const auto bytes = [](std::int64_t value) { return FormatBytes(static_cast<double>(value)); };
    const std::string need = plan_.bytes > limit
                                 ? fmt::format("need {} for a single sample", bytes(plan_.bytes))
                                 : fmt::format("use {} of {} samples", samples, least);
    warning_ = fmt::format(
        "probes {}: {} are allowed for the results that they keep; allow more with --max_memory, "
        "or make the input smaller",
        need, bytes(limit));
  }
  return samples;
}

void ActivationCache::Prepare(std::size_t group) {
  const std::size_t segment = plan_.segment_of[group];
  if (segment == segment_) {
    return;
  }
  segment_ = segment;
  for (Activations& again : again_) {
    again.clear();
  }
  const std::vector<ValueId>& values = plan_.again[segment];
  if (values.empty()) {
    return;
  }
  const Subgraph between = Expanded(setup_.network.graph, setup_.decisions.steps(),
                                    BetweenOf(setup_.network.steps, plan_.kept, values));
  const Executable executable =
      Compile(between.graph, PlanOf(between, setup_.reference), setup_.compile);
  for (std::size_t s = 0; s < samples(); ++s) {
    std::vector<Tensor> inputs;
    for (const ValueId id : between.graph.inputs) {
      inputs.push_back(stored_[s].at(id));
    }
    std::vector<Tensor> results = RunOnce(executable, inputs, setup_.pool);
    for (std::size_t i = 0; i < results.size(); ++i) {
      again_[s].emplace(values[i], std::move(results[i]));
    }
  }
  runs_ += static_cast<double>(samples() * between.nodes.size()) /
           static_cast<double>(setup_.network.graph.nodes.size());
  CountBytes();
}

const Tensor* ActivationCache::Find(std::size_t sample, ValueId value) const {
  for (const Activations* values : {&stored_[sample], &again_[sample]}) {
    if (const auto found = values->find(value); found != values->end()) {
      return &found->second;
    }
  }
  return nullptr;
}

const Tensor& ActivationCache::At(std::size_t sample, ValueId value) const {
  const Tensor* found = Find(sample, value);
  Check(found != nullptr, "a result that a probe needs is kept");
  return *found;
}

void ActivationCache::CountBytes() {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < samples(); ++s) {
    bytes += BytesOf(stored_[s]) + BytesOf(again_[s]);
  }
  peak_bytes_ = std::max(peak_bytes_, bytes);
}

std::vector<Tensor> RunOnce(const Executable& executable, std::span<const Tensor> inputs,
                            const ThreadPool& pool) {
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  pool.Run([&] { executable.Run(workspace, inputs, outputs); });
  return outputs;
}

}  // namespace halftone
