#include <algorithm>
#include <tuple>
#include <utility>

#include "search/measure/compare_executables.h"
#include "search/measure/latency_source.h"
#include "search/measure/placements.h"
#include "src/base/machine_watch.h"

namespace halftone {
namespace {

// True if both run the same kernels on the same nodes, dtypes and buffers in the same order, so
// that their times are equal, as those of two float32 plans whose implementation modes have one
// kernel.
bool RunTheSame(const Executable& plan, const Executable& anchor) {
  const auto facts = [](const StepInfo& step) {
    return std::tie(step.node, step.op, step.kernel, step.dtype, step.reads, step.writes,
                    step.bytes, step.in_place, step.channels_last);
  };
  return std::ranges::equal(plan.steps(), anchor.steps(), {}, facts, facts) &&
         std::ranges::equal(plan.input_types(), anchor.input_types()) &&
         std::ranges::equal(plan.output_types(), anchor.output_types());
}

class ClockLatency : public LatencySource {
 public:
  std::variant<Latency, Rejection> Race(const TimedNetwork& network, CompiledPlan& plan,
                                        double give_up_above) override {
    PairedRoundsOptions rounds = QuickRounds(network.quick_budget_s, network.quick_most_s);
    rounds.give_up_above = give_up_above;
    rounds.seed = network.seed;
    if (RunTheSame(plan.executable(), network.anchor)) {
      return OfAnchor(network, rounds);
    }
    const Sample sample = network.setup.dataset.Read(0);
    ExecutableRunner candidate(plan.executable(), sample);
    ExecutableRunner anchor(network.anchor, sample);
    const MachineWatch watch;
    Latency latency = CompareRunners(candidate, anchor, network.setup.pool, rounds);
    latency.other_cores = watch.OtherCores();
    return latency;
  }

  Latency Confirm(const TimedNetwork& network, const PrecisionPlan& plan,
                  const std::function<bool()>& stop_requested) override {
    return ConfirmBy(network, plan,
                     {.budget_s = network.confirm_budget_s,
                      .seed = network.seed,
                      .stop_requested = stop_requested});
  }

  std::optional<Latency> ConfirmWithin(const TimedNetwork& network, const PrecisionPlan& plan,
                                       const Latency& first, const ConfirmTime& time) override {
    if (first.is_of_anchor()) {
      return first;  // its ratio does not depend on buffers
    }
    const auto fitting = FitInto(
        {.budget_s = network.confirm_budget_s, .seed = network.seed},
        {.compile_s = network.anchor_compile_s, .run_s = first.median_s + first.anchor_median_s},
        time);
    return fitting ? std::optional(ConfirmBy(network, plan, *fitting)) : std::nullopt;
  }

  std::vector<StepTimes> TimeSteps(const NetworkSetup& network,
                                   std::span<const PrecisionPlan> plans,
                                   const StepTimesOptions& options,
                                   const std::function<bool()>& stop_requested) override {
    return halftone::TimeSteps(network, plans, options, stop_requested);
  }

 private:
  // The ratio of the anchor to itself is known; on a slow network, a comparison takes the time of
  // another plan.
  static Latency OfAnchor(const TimedNetwork& network, const PairedRoundsOptions& rounds) {
    ExecutableRunner anchor(network.anchor, network.setup.dataset.Read(0));
    const MachineWatch watch;
    Latency latency = TimeAnchor(anchor, network.setup.pool, rounds);
    latency.other_cores = watch.OtherCores();
    return latency;
  }

  // Compiles plan and anchor anew several times without shared weights, so that no lucky placement
  // of buffers decides and the interval includes the spread between placements.
  static Latency ConfirmBy(const TimedNetwork& network, const PrecisionPlan& plan,
                           const CompareOptions& options) {
    const Graph& graph = network.setup.graph;
    const PrecisionPlan reference = ReferencePlan(graph);
    CompileOptions apart = network.setup.compile;
    apart.shared = nullptr;
    CompareOptions compare = options;
    compare.constant_bytes = ConstantBytes(graph);
    const MachineWatch watch;
    Latency latency =
        CompareExecutables([&] { return Compile(graph, plan, apart); },
                           [&] { return Compile(graph, reference, apart); },
                           network.setup.dataset.Read(0), network.setup.pool, compare);
    latency.other_cores = watch.OtherCores();
    return latency;
  }
};

}  // namespace

std::shared_ptr<LatencySource> HostClock() {
  static const auto kClock = std::make_shared<ClockLatency>();  // without a state
  return kClock;
}

std::shared_ptr<LatencySource> SourceFor(const TargetSpec& target) {
  return target.is_host() ? HostClock() : RooflineOf(target);
}

}  // namespace halftone
