#include "src/api/tune/work_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace halftone {
namespace {

class Strategy : public SearchStrategy {
 public:
  explicit Strategy(std::optional<Forecast> forecast) : forecast_(std::move(forecast)) {}

  std::vector<Candidate> Suggest(std::size_t /*max_count*/) override { return {}; }

  void Update(std::span<const Trial> /*finished*/) override {}

  [[nodiscard]] std::optional<Forecast> forecast() const override { return forecast_; }

 private:
  std::optional<Forecast> forecast_;
};

using Seconds = std::chrono::duration<double>;

struct WorkPlanCase {
  const char* name;
  std::optional<Forecast> forecast;
  TunerOptions limits;
  std::string expected;
};

class WorkPlanTest : public ::testing::TestWithParam<WorkPlanCase> {};

TEST_P(WorkPlanTest, Sentence) {
  const Strategy strategy(GetParam().forecast);
  EXPECT_EQ(WorkPlanText(strategy, GetParam().limits, 0.5), GetParam().expected);
}

const Forecast kForecast{.work_plan = "3 bases", .most_plans = 90};

const WorkPlanCase kCases[] = {
    {"NoLimitOnTime",
     kForecast,
     {},
     "3 bases; at most 90 plans, about 45 s before the front is confirmed"},
    {"MaxTrials",
     kForecast,
     {.max_trials = 1},
     "3 bases; at most 1 plan, about 0 s before the front is confirmed"},
    {"Evaluations",
     kForecast,
     {.max_evaluations = 40},
     "3 bases; at most 40 plans, about 20 s before the front is confirmed"},
    {"AStrategyThatSaysNothing",
     std::nullopt,
     {},
     "at most 200 plans, about 100 s before the front is confirmed"},
    {"EnoughTime",
     kForecast,
     {.time_limit = Seconds(60)},
     "3 bases; at most 90 plans, about 45 s before the front is confirmed"},
    {"TimeOfTheSearch",
     kForecast,
     {.time_limit = Seconds(30)},
     "3 bases; at most 90 plans, which would take about 45 s; the limit of 30 s ends them, then "
     "the "
     "front is confirmed"},
    {"TimeOfTheWhole",
     kForecast,
     {.time_limit = Seconds(30), .confirm_s = 6},
     "3 bases; at most 90 plans, which would take about 45 s; the limit of 30 s ends them, "
     "confirmation of the front included"},
};

INSTANTIATE_TEST_SUITE_P(Cases, WorkPlanTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
