#include "search/measure/runtime_times.h"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace halftone {

std::vector<StepTimes> TimeStepsOnRuntime(Runtime& runtime, std::span<const PrecisionPlan> plans,
                                          const std::function<bool()>& stop_requested) {
  std::vector<StepTimes> times;
  for (const PrecisionPlan& plan : plans) {
    if (stop_requested && stop_requested()) {
      return {};
    }
    const auto built = runtime.Build(plan);
    const auto* there = std::get_if<std::shared_ptr<BuiltPlan>>(&built);
    std::optional<StepTimes> seconds =
        there != nullptr ? runtime.SecondsByNode(**there) : std::nullopt;
    if (!seconds && times.empty()) {
      return {};
    }
    times.push_back(seconds ? *std::move(seconds) : times.front());
  }
  const double unit = times.front().total;
  for (StepTimes& of_plan : times) {
    for (auto& [node, time] : of_plan.nodes) {
      time /= unit;
    }
    for (auto& [elements, time] : of_plan.casts) {
      time /= unit;
    }
    of_plan.total /= unit;
  }
  return times;
}

}  // namespace halftone
