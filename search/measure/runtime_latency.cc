#include <fmt/format.h>

#include <utility>

#include "search/measure/compare_executables.h"
#include "search/measure/latency_source.h"
#include "search/measure/paired_rounds.h"
#include "search/measure/placements.h"
#include "search/measure/runtime_times.h"
#include "src/base/error.h"
#include "src/base/machine_watch.h"

namespace halftone {
namespace {

// The value, or the result of `otherwise` for a Rejection.
template <typename T, typename Otherwise>
T ValueOr(std::variant<T, Rejection> outcome, const Otherwise& otherwise) {
  auto* value = std::get_if<T>(&outcome);
  return value != nullptr ? std::move(*value) : otherwise(std::get<Rejection>(outcome));
}

class RuntimeLatency : public LatencySource {
 public:
  explicit RuntimeLatency(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}

  [[nodiscard]] bool runs_plans() const override { return true; }

  [[nodiscard]] std::string description() const override { return runtime_->description(); }

  [[nodiscard]] Anchor AnchorFor(const Graph& graph) const override {
    return {.name = runtime_->anchor(), .plan = ReferencePlan(graph)};
  }

  double BuildAnchor(const Graph& graph) override {
    const auto facts = FactsOf(ReferencePlan(graph));
    return facts ? facts->build_s : 0;
  }

  std::variant<Latency, Rejection> Race(const TimedNetwork& network, CompiledPlan& plan,
                                        double give_up_above) override {
    return Timed(plan.plan(), {.budget_s = network.quick_budget_s,
                               .min_rounds = kQuickRounds,
                               .seed = network.seed,
                               .give_up_above = give_up_above});
  }

  Latency Confirm(const TimedNetwork& network, const PrecisionPlan& plan,
                  const std::function<bool()>& /*stop_requested*/) override {
    return ConfirmIn(network.confirm_budget_s, network, plan);
  }

  std::optional<Latency> ConfirmWithin(const TimedNetwork& network, const PrecisionPlan& plan,
                                       const Latency& first, const ConfirmTime& time) override {
    const auto fitting = FitInto({.budget_s = network.confirm_budget_s, .seed = network.seed},
                                 {.run_s = first.median_s + first.anchor_median_s}, time);
    return fitting ? std::optional(ConfirmIn(fitting->budget_s, network, plan)) : std::nullopt;
  }

  std::vector<StepTimes> TimeSteps(const NetworkSetup& /*network*/,
                                   std::span<const PrecisionPlan> plans,
                                   const StepTimesOptions& /*options*/,
                                   const std::function<bool()>& stop_requested) override {
    return TimeStepsOnRuntime(*runtime_, plans, stop_requested);
  }

  std::variant<RuntimeOutputs, Rejection> Run(const PrecisionPlan& plan, const Dataset& data,
                                              const TakeOutputs& take) override {
    auto built = runtime_->Build(plan);
    if (auto* rejection = std::get_if<Rejection>(&built)) {
      return std::move(*rejection);
    }
    return runtime_->Run(*std::get<Built>(built), data, take);
  }

  std::optional<RuntimeRun> FactsOf(const PrecisionPlan& plan) override {
    const auto built = runtime_->Build(plan);
    const auto* there = std::get_if<Built>(&built);
    return there != nullptr ? std::optional((*there)->facts()) : std::nullopt;
  }

  std::variant<RuntimeRun, Rejection> TryOut(const PrecisionPlan& plan) override {
    auto built = runtime_->Build(plan);
    if (auto* rejection = std::get_if<Rejection>(&built)) {
      return std::move(*rejection);
    }
    BuiltPlan& there = *std::get<Built>(built);
    runtime_->SecondsByNode(there);
    return there.facts();
  }

 private:
  using Built = std::shared_ptr<BuiltPlan>;

  std::variant<Latency, Rejection> Timed(const PrecisionPlan& plan, const RuntimeTiming& timing) {
    auto built = runtime_->Build(plan);
    if (auto* rejection = std::get_if<Rejection>(&built)) {
      return std::move(*rejection);
    }
    const MachineWatch watch;
    auto latency = runtime_->Time(*std::get<Built>(built), timing);
    if (auto* timed = std::get_if<Latency>(&latency)) {
      timed->other_cores = watch.OtherCores();
    }
    return latency;
  }

  Latency ConfirmIn(double budget_s, const TimedNetwork& network, const PrecisionPlan& plan) {
    return ValueOr(
        Timed(plan, {.budget_s = budget_s, .placements = kPlacements, .seed = network.seed}),
        [](const Rejection& rejection) -> Latency {
          throw Error(
              ErrorKind::kUnsupported,
              fmt::format("a plan that was measured cannot be timed again: {}", rejection.reason));
        });
  }

  std::shared_ptr<Runtime> runtime_;
};

}  // namespace

std::shared_ptr<LatencySource> TimedBy(std::shared_ptr<Runtime> runtime) {
  return std::make_shared<RuntimeLatency>(std::move(runtime));
}

}  // namespace halftone
