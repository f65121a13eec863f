#include "src/api/tune/search_limits.h"

#include <chrono>

#include "gtest/gtest.h"
#include "search/measure/compare_executables.h"

namespace halftone {
namespace {

// A network of 100 ms a run that compiles in no time, on one sample.
constexpr RunCosts kCosts{.run_s = 0.1, .pass_s = 0.1};

TunerOptions LimitsOfRuns(double runs, const RunCosts& costs = kCosts,
                          std::int64_t heldout_count = 0) {
  TuneOptions options;
  options.budget.time = std::chrono::duration<double>(runs * costs.run_s);
  return LimitsOf(options, costs, heldout_count);
}

double Least(const RunCosts& costs) {
  return LeastConfirmSeconds({.compile_s = costs.compile_s, .run_s = 2 * costs.run_s});
}

TEST(LimitsOfTest, FewRunsConfirmInAShareOfTheirTime) {
  EXPECT_DOUBLE_EQ(LimitsOfRuns(3000).most_confirm_s, 0.35 * 300);
  EXPECT_DOUBLE_EQ(LimitsOfRuns(1500).most_confirm_s, 0.15 * 150);
  EXPECT_DOUBLE_EQ(LimitsOfRuns(100).most_confirm_s, 0.15 * 10);
}

// Twelve runs confirm a member: two placements of both, with a run to warm up and two rounds.
TEST(LimitsOfTest, TheChosenPointIsConfirmedWhereAThirdOfTheTimeIsEnough) {
  ASSERT_DOUBLE_EQ(Least(kCosts), 1.2);
  EXPECT_DOUBLE_EQ(LimitsOfRuns(60).most_confirm_s, 1.2) << "more than 15 %";
  EXPECT_DOUBLE_EQ(LimitsOfRuns(36).most_confirm_s, 1.2);
  EXPECT_EQ(LimitsOfRuns(30).most_confirm_s, 0) << "plans are worth more";
}

TEST(LimitsOfTest, CompilingAndOtherShapesMakeConfirmationLonger) {
  RunCosts costs = kCosts;
  costs.compile_s = 0.1;
  EXPECT_DOUBLE_EQ(LimitsOfRuns(60, costs).most_confirm_s, 1.2 + 4 * 0.1);
  costs.shapes = 2;
  EXPECT_EQ(LimitsOfRuns(60, costs).most_confirm_s, 0);
}

TEST(LimitsOfTest, FewRunsWithoutHeldoutSamplesLeaveLessForTheReport) {
  EXPECT_DOUBLE_EQ(LimitsOfRuns(400).after_s, 0.08 * 40);
  EXPECT_DOUBLE_EQ(LimitsOfRuns(400, kCosts, 10).after_s, 0.15 * 40);
}

TEST(LimitsOfTest, WithoutABudgetNothingIsReserved) {
  const TunerOptions limits = LimitsOf(TuneOptions(), kCosts, 0);
  EXPECT_EQ(limits.confirm_s, 0);
  EXPECT_EQ(limits.after_s, 0);
}

TEST(SecondsOfPlanTest, CountsThePassThePlanAndItsRounds) {
  TuneOptions options;
  options.budget.time = std::chrono::duration<double>(10);
  RunCosts costs = kCosts;
  const double runs = RunsOfPlan(options, costs);
  EXPECT_GE(runs, 2 * 3) << "plan and float32: a run to warm up, two rounds";
  const double plan_s = SecondsOfPlan(options, costs);
  EXPECT_GE(plan_s, 0.1 + runs * 0.1);
  costs.compile_s = 2;
  EXPECT_DOUBLE_EQ(SecondsOfPlan(options, costs), plan_s + 2);
  costs.shapes = 3;
  EXPECT_DOUBLE_EQ(RunsOfPlan(options, costs), 3 * runs);
}

}  // namespace
}  // namespace halftone
