#include <utility>

#include "search/measure/compare_executables.h"
#include "search/measure/latency_source.h"
#include "search/measure/placements.h"
#include "src/base/machine_watch.h"

namespace halftone {
namespace {

class ClockLatency : public LatencySource {
 public:
  std::variant<Latency, Rejection> Race(const TimedNetwork& network, CompiledPlan& plan,
                                        double give_up_above) override {
    const Sample sample = network.setup.dataset.Read(0);
    ExecutableRunner candidate(plan.executable(), sample);
    ExecutableRunner anchor(network.anchor, sample);
    const MachineWatch watch;
    PairedRoundsOptions rounds = QuickRounds();
    rounds.give_up_above = give_up_above;
    rounds.budget_s = network.quick_budget_s;
    rounds.seed = network.seed;
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
  // Compiles plan and anchor anew several times without shared weights, so that no lucky placement
  // of buffers decides and the interval includes the spread between placements.
  static Latency ConfirmBy(const TimedNetwork& network, const PrecisionPlan& plan,
                           const CompareOptions& options) {
    const Graph& graph = network.setup.graph;
    const PrecisionPlan reference = ReferencePlan(graph);
    CompileOptions apart = network.setup.compile;
    apart.shared = nullptr;
    const MachineWatch watch;
    Latency latency =
        CompareExecutables([&] { return Compile(graph, plan, apart); },
                           [&] { return Compile(graph, reference, apart); },
                           network.setup.dataset.Read(0), network.setup.pool, options);
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
