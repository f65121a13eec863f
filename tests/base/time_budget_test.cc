#include "src/base/time_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace halftone {
namespace {

using ::testing::ElementsAre;

class TimeBudgetTest : public ::testing::Test {
 protected:
  [[nodiscard]] TimeBudget Budget(std::optional<double> limit_s) {
    return TimeBudget(limit_s, [this] { return now_s_; });
  }

  double now_s_ = 1000;
};

TEST_F(TimeBudgetTest, CountsFromItsBegin) {
  TimeBudget budget = Budget(90);
  now_s_ += 60;
  EXPECT_EQ(budget.elapsed_s(), 60);
  EXPECT_EQ(budget.left_s(), 30);
  now_s_ += 60;
  EXPECT_EQ(budget.left_s(), 0) << "never below";
  EXPECT_TRUE(budget.IsOver());
}

TEST_F(TimeBudgetTest, ALimitThatComesLaterCountsFromTheSameBegin) {
  TimeBudget budget = Budget(std::nullopt);
  now_s_ += 20;
  EXPECT_TRUE(std::isinf(budget.left_s()));
  EXPECT_FALSE(budget.Slice(0.1).limited());
  budget.SetLimit(90);
  EXPECT_EQ(budget.left_s(), 70);
}

TEST_F(TimeBudgetTest, HasALengthInRunsOnceARunIsKnown) {
  TimeBudget budget = Budget(90);
  EXPECT_TRUE(std::isinf(budget.runs()));
  budget.LearnRun(0.5);
  now_s_ += 60;
  EXPECT_EQ(budget.runs(), 180) << "of the whole, not of the rest";
  budget.SetLimit(std::nullopt);
  EXPECT_TRUE(std::isinf(budget.runs()));
}

TEST_F(TimeBudgetTest, ASliceIsAShareOfTheWholeAndNoMoreThanTheRest) {
  TimeBudget budget = Budget(100);
  now_s_ += 10;
  const TimeSlice fifth = budget.Slice(0.2);
  EXPECT_EQ(fifth.left_s(), 20);
  EXPECT_TRUE(fifth.Fits(20));
  EXPECT_FALSE(fifth.Fits(20.5));
  now_s_ += 15;
  EXPECT_EQ(fifth.left_s(), 5) << "its end stays";
  now_s_ += 70;
  EXPECT_EQ(fifth.left_s(), 0);
  EXPECT_EQ(budget.Slice(0.2).left_s(), 5);
  EXPECT_TRUE(TimeSlice().Fits(1e300));
}

TEST_F(TimeBudgetTest, SaysWhereTheTimeWent) {
  TimeBudget budget = Budget(90);
  now_s_ += 2;
  budget.Begin(BudgetPhase::kSearch);
  now_s_ += 30;
  {
    const PhaseScope probes(budget, BudgetPhase::kProbes);
    now_s_ += 7;
  }
  now_s_ += 1;
  EXPECT_THAT(budget.Spent(),
              ElementsAre(PhaseTime{BudgetPhase::kLoading, 2}, PhaseTime{BudgetPhase::kProbes, 7},
                          PhaseTime{BudgetPhase::kSearch, 31}));
}

}  // namespace
}  // namespace halftone
