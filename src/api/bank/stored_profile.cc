#include "src/api/bank/stored_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/operators/measure_profile.h"
#include "search/operators/network_operator_timer.h"
#include "search/operators/profile_network.h"
#include "search/space/space.h"
#include "src/accuracy/sample_reader.h"
#include "src/api/bank/tuned_plans.h"
#include "src/api/bank/workload.h"
#include "src/exec/tunable_steps.h"
#include "src/ir/op_table.h"

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

// One step for each call of the operator, with the kernels that the profile lacks; those with one
// kernel, too, so that formats can be compared.
std::vector<TunableStep> StepsToProfile(const Graph& graph, const PrecisionPlan& plan,
                                        const OperatorProfile& profile) {
  std::vector<TunableStep> steps = TunableSteps(graph, plan, profile.threads, {}, 1);
  std::set<std::string> seen;
  std::erase_if(steps, [&](TunableStep& step) {
    if (step.op != profile.op || !step.shape || !seen.insert(step.signature).second) {
      return true;
    }
    step.kernels = KernelsToProfile(step, profile);
    return step.kernels.empty();
  });
  return steps;
}

// Name under which the store keeps the part of an operator that a stop ended.
std::string BegunPart(OpKind op) {
  return fmt::format("{}, begun", InfoOf(op).name);
}

// Adds to the part what it lacks; false: it was stopped, with the modes before.
bool Complete(const Graph& graph, const Profiling& with, OperatorProfile& profile) {
  const OperatorTunerHooks& hooks = with.hooks;
  const Sample sample = SomeSample(graph);
  SharedConstants shared;
  const CompileOptions base{.choices = KernelChoices(with.pool.threads()), .shared = &shared};
  const std::vector<PrecisionPlan> plans =
      PlansToTune(graph, with.target, MakeSearchSpace(graph, with.target));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (hooks.on_progress) {
      hooks.on_progress({.profiled = profile.op, .decided = i, .operators = plans.size()});
    }
    const auto steps = StepsToProfile(graph, plans[i], profile);
    if (steps.empty()) {
      continue;
    }
    std::vector<ProfiledCall> calls;
    if (with.planted) {
      calls = with.planted(steps);
    } else {
      // The weights of the grid fit no cache: no run finds those of the one before.
      NetworkOperatorTimer timer({graph, plans[i], sample, with.pool, base}, steps, 0);
      calls = MeasureProfile(steps, timer.operators(), timer, {.seed = with.seed},
                             hooks.stop_requested);
    }
    if (calls.empty()) {
      return false;
    }
    AddCalls(std::move(calls), profile);
  }
  return true;
}

// Measures the part of an operator, or the rest of one that was begun, and stores it.
void MeasurePart(OpKind op, const Profiling& with, const KernelVersion& kernels,
                 TrialStore& store) {
  const std::optional<Graph> graph = ProfileNetwork(op);
  if (!graph) {
    return;
  }
  const std::string name(InfoOf(op).name);
  const int threads = with.pool.threads();
  const auto begun = store.FindOperatorProfile(kernels, BegunPart(op), threads);
  OperatorProfile profile{
      .op = name, .threads = threads, .calls = begun ? begun->calls : std::vector<ProfiledCall>()};
  if (!Complete(*graph, with, profile)) {
    profile.op = BegunPart(op);
  }
  if (!profile.calls.empty() && (!begun || profile != *begun)) {
    store.AddOperatorProfile(kernels, profile);
  }
}

}  // namespace

void MeasureProfiles(const std::set<OpKind>& ops, const Profiling& with, TrialStore& store) {
  for (const OpKind op : ops) {
    const KernelVersion kernels = CurrentKernels({op});
    if (store.FindOperatorProfile(kernels, InfoOf(op).name, with.pool.threads())) {
      continue;
    }
    try {
      MeasurePart(op, with, kernels, store);
    } catch (const std::bad_alloc&) {
      // The network may need less than the calls of a profile: its operators are all timed in it.
    }
  }
}

KernelVersion KernelsOfFormatTimes() {
  return CurrentKernels({OpKind::kMatMul, OpKind::kQLinearMatMul, OpKind::kDynamicMatMul});
}

std::optional<ScaledSpeed> StoredScaledSpeed(const TargetSpec& target, const ThreadPool& pool,
                                             std::uint64_t seed, TrialStore& store) {
  const KernelVersion kernels = KernelsOfFormatTimes();
  auto profile = store.FindOperatorProfile(kernels, kFormatTimes, pool.threads());
  if (!profile) {
    profile = MeasureFormatTimes(target, pool, seed);
    if (!profile->calls.empty()) {
      store.AddOperatorProfile(kernels, *profile);
    }
  }
  return ScaledSpeedIn(*profile);
}

std::vector<FormatTime> StoredFormatTimes(int threads, TrialStore& store) {
  const auto profile = store.FindOperatorProfile(KernelsOfFormatTimes(), kFormatTimes, threads);
  return profile ? FormatTimesIn(*profile) : std::vector<FormatTime>();
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
