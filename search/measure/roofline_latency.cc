#include "search/measure/latency_source.h"
#include "search/measure/roofline.h"

namespace halftone {
namespace {

class RooflineLatency : public LatencySource {
 public:
  explicit RooflineLatency(const TargetSpec& target) : roofline_(target), target_(target) {}

  [[nodiscard]] bool is_timed() const override { return false; }

  [[nodiscard]] std::string description() const override { return roofline_.description(); }

  [[nodiscard]] Anchor AnchorFor(const Graph& graph) const override {
    return AnchorOf(graph, target_);
  }

  std::variant<Latency, Rejection> Race(const TimedNetwork& network, CompiledPlan& plan,
                                        double /*give_up_above*/) override {
    return Predicted(network, plan.plan());
  }

  Latency Confirm(const TimedNetwork& network, const PrecisionPlan& plan,
                  const std::function<bool()>& /*stop_requested*/) override {
    return Predicted(network, plan);
  }

  std::optional<Latency> ConfirmWithin(const TimedNetwork& network, const PrecisionPlan& plan,
                                       const Latency& /*first*/,
                                       const ConfirmTime& /*time*/) override {
    return Predicted(network, plan);
  }

  std::vector<StepTimes> TimeSteps(const NetworkSetup& network,
                                   std::span<const PrecisionPlan> plans,
                                   const StepTimesOptions& /*options*/,
                                   const std::function<bool()>& /*stop_requested*/) override {
    const double unit = roofline_.AnchorSeconds(network.graph);
    std::vector<StepTimes> times;
    for (const PrecisionPlan& plan : plans) {
      times.push_back(roofline_.StepsOf(network.graph, plan, unit));
    }
    return times;
  }

 private:
  [[nodiscard]] Latency Predicted(const TimedNetwork& network, const PrecisionPlan& plan) const {
    const Graph& graph = network.setup.graph;
    Latency latency{.median_s = roofline_.SecondsOf(graph, plan),
                    .anchor_median_s = roofline_.AnchorSeconds(graph)};
    latency.ratio = latency.median_s / latency.anchor_median_s;
    latency.ratio_interval = {latency.ratio, latency.ratio};
    return latency;
  }

  Roofline roofline_;
  TargetSpec target_;
};

}  // namespace

std::shared_ptr<LatencySource> RooflineOf(const TargetSpec& target) {
  return std::make_shared<RooflineLatency>(target);
}

}  // namespace halftone
