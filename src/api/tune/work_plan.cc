#include "src/api/tune/work_plan.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "src/base/text.h"

namespace halftone {
namespace {

std::string_view UntilConfirmed(const TunerOptions& limits) {
  return limits.confirm_s > 0 ? "confirmation of the front included"
                              : "then the front is confirmed";
}

}  // namespace

std::string WorkPlanText(const SearchStrategy& strategy, const TunerOptions& limits,
                         double plan_s) {
  const std::size_t plans = MostPlansOf(strategy, limits);
  const double seconds = static_cast<double>(plans) * plan_s;
  const std::optional<Forecast> forecast = strategy.forecast();
  if (plans == kNoLimitOfPlans) {
    return fmt::format("{}{}", forecast ? forecast->work_plan + "; " : "",
                       limits.time_limit
                           ? fmt::format("the limit of {:g} s ends them, {}",
                                         limits.time_limit->count(), UntilConfirmed(limits))
                           : "nothing but you ends them");
  }
  const std::string text = fmt::format("{}at most {}", forecast ? forecast->work_plan + "; " : "",
                                       Counted(static_cast<std::int64_t>(plans), "plan"));
  if (!limits.time_limit || seconds <= limits.time_limit->count()) {
    return text + fmt::format(", about {:.0f} s before the front is confirmed", seconds);
  }
  return text + fmt::format(", which would take about {:.0f} s; the limit of {:g} s ends them, {}",
                            seconds, limits.time_limit->count(), UntilConfirmed(limits));
}

}  // namespace halftone
