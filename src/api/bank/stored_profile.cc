#include "src/api/bank/stored_profile.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/operators/measure_profile.h"
#include "search/operators/network_operator_timer.h"
#include "search/operators/profile_network.h"
#include "search/space/space.h"
#include "src/accuracy/sample_reader.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/exec/tunable_steps.h"
#include "src/ir/op_table.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// Times do not depend on values, subnormals apart.
Sample SomeSample(const Graph& graph) {
  Sample sample{.name = "profile", .inputs = {}};
  for (const ValueId id : graph.inputs) {
    Tensor tensor(graph.value(id).type);
    std::ranges::fill(tensor.mutable_values<float>(), 0.5F);
    sample.inputs.push_back(std::move(tensor));
  }
  return sample;
}

// Float32, and each mode of the target that the graph can have; equal plans are one.
std::vector<PrecisionPlan> PlansOf(const Graph& graph, const TargetSpec& target) {
  std::vector<PrecisionPlan> plans = {ReferencePlan(graph)};
  std::set<std::string> seen = {plans[0].Digest().ToHex()};
  for (const std::string& mode : ModesToSearch(target, {}).names) {
    try {
      PrecisionPlan plan = ResolvePrecision(graph, {.precision_mode = mode}, target);
      if (seen.insert(plan.Digest().ToHex()).second) {
        plans.push_back(std::move(plan));
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported) {
        throw;
      }
    }
  }
  return plans;
}

// One step for each call of the operator that was not seen; those with one kernel, too, so that
// formats can be compared.
std::vector<TunableStep> StepsToProfile(const Graph& graph, const PrecisionPlan& plan, OpKind op,
                                        int threads, std::set<std::string>& seen) {
  std::vector<TunableStep> steps = TunableSteps(graph, plan, threads, {}, 1);
  std::erase_if(steps, [&](const TunableStep& step) {
    return step.op != InfoOf(op).name || !step.shape || !seen.insert(step.signature).second;
  });
  return steps;
}

std::optional<OperatorProfile> Measure(OpKind op, const TargetSpec& target, const ThreadPool& pool,
                                       std::uint64_t seed, const OperatorTunerHooks& hooks) {
  const std::optional<Graph> graph = ProfileNetwork(op);
  if (!graph) {
    return std::nullopt;
  }
  OperatorProfile profile{
      .op = std::string(InfoOf(op).name), .threads = pool.threads(), .calls = {}};
  const Sample sample = SomeSample(*graph);
  SharedConstants shared;
  const CompileOptions base{.choices = KernelChoices(pool.threads()), .shared = &shared};
  std::set<std::string> seen;
  const std::vector<PrecisionPlan> plans = PlansOf(*graph, target);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (hooks.on_progress) {
      hooks.on_progress({.profiled = profile.op, .decided = i, .operators = plans.size()});
    }
    const auto steps = StepsToProfile(*graph, plans[i], op, pool.threads(), seen);
    if (steps.empty()) {
      continue;
    }
    NetworkOperatorTimer timer(*graph, plans[i], sample, pool, base, steps);
    auto calls =
        MeasureProfile(steps, timer.operators(), timer, {.seed = seed}, hooks.stop_requested);
    if (calls.empty()) {
      return std::nullopt;  // stopped
    }
    std::move(calls.begin(), calls.end(), std::back_inserter(profile.calls));
  }
  return profile.calls.empty() ? std::nullopt : std::optional(std::move(profile));
}

}  // namespace

void MeasureProfiles(const std::set<OpKind>& ops, const TargetSpec& target, const ThreadPool& pool,
                     std::uint64_t seed, TrialStore& store, const OperatorTunerHooks& hooks) {
  for (const OpKind op : ops) {
    const KernelVersion kernels = CurrentKernels({op});
    if (store.FindOperatorProfile(kernels, InfoOf(op).name, pool.threads())) {
      continue;
    }
    if (const auto part = Measure(op, target, pool, seed, hooks)) {
      store.AddOperatorProfile(kernels, *part);
    }
  }
}

MachineProfile StoredProfile(const std::set<OpKind>& ops, int threads, TrialStore& store) {
  MachineProfile profile;
  for (const OpKind op : ops) {
    if (auto part = store.FindOperatorProfile(CurrentKernels({op}), InfoOf(op).name, threads)) {
      profile.Add(*std::move(part));
    }
  }
  return profile;
}

}  // namespace halftone
