#include "src/api/tune/work_plan.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

class Strategy : public SearchStrategy {
 public:
  Strategy(std::string text, std::size_t most) : text_(std::move(text)), most_(most) {}

  std::vector<Candidate> Suggest(std::size_t /*max_count*/) override { return {}; }

  void Update(std::span<const Trial> /*finished*/) override {}

  [[nodiscard]] std::string WorkPlan() const override { return text_; }

  [[nodiscard]] std::size_t MostPlans() const override { return most_; }

 private:
  std::string text_;
  std::size_t most_;
};

using Seconds = std::chrono::duration<double>;

struct WorkPlanCase {
  const char* name;
  std::string text;
  std::size_t most;
  TunerOptions limits;
  std::string expected;
};

class WorkPlanTest : public ::testing::TestWithParam<WorkPlanCase> {};

TEST_P(WorkPlanTest, Sentence) {
  const Strategy strategy(GetParam().text, GetParam().most);
  EXPECT_EQ(WorkPlanText(strategy, GetParam().limits, 0.5), GetParam().expected);
}

const WorkPlanCase kCases[] = {
    {"NoLimitOnTime",
     "3 bases",
     90,
     {},
     "3 bases; at most 90 plans, about 45 s before the front is confirmed"},
    {"MaxTrials",
     "3 bases",
     90,
     {.max_trials = 1},
     "3 bases; at most 1 plan, about 0 s before the front is confirmed"},
    {"Evaluations",
     "3 bases",
     90,
     {.max_evaluations = 40},
     "3 bases; at most 40 plans, about 20 s before the front is confirmed"},
    {"AStrategyThatSaysNothing",
     "",
     0,
     {},
     "at most 200 plans, about 100 s before the front is confirmed"},
    {"EnoughTime",
     "3 bases",
     90,
     {.time_limit = Seconds(60)},
     "3 bases; at most 90 plans, about 45 s before the front is confirmed"},
    {"TimeOfTheSearch",
     "3 bases",
     90,
     {.time_limit = Seconds(30)},
     "3 bases; at most 90 plans, which would take about 45 s; the limit of 30 s ends them, then "
     "the "
     "front is confirmed"},
    {"TimeOfTheWhole",
     "3 bases",
     90,
     {.time_limit = Seconds(30), .confirm_s = 6},
     "3 bases; at most 90 plans, which would take about 45 s; the limit of 30 s ends them, "
     "confirmation of the front included"},
};

INSTANTIATE_TEST_SUITE_P(Cases, WorkPlanTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
