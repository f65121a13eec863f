#include "src/report/best_so_far.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "src/base/hash.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Trial Plan(double ratio, double sqnr_db, double rel_l2) {
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.accuracy.metrics = {{"sqnr_db", sqnr_db, sqnr_db, 0}, {"rel_l2", rel_l2, rel_l2, 0}};
  return {.candidate = {},
          .plan_digest = Hasher().Add(std::to_string(ratio)).Finish(),
          .outcome = measurement};
}

Trial DiscretePlan(double ratio, double agreement) {
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.accuracy.loss = 1 - agreement;
  measurement.accuracy.metrics = {{"agreement", agreement, agreement, 0}};
  return {.candidate = {}, .plan_digest = {}, .outcome = measurement};
}

Trial Rejected() {
  return {.candidate = {}, .plan_digest = {}, .outcome = Rejection{"no kernel"}};
}

std::vector<std::string> BoundsIn(const BestSoFar& best) {
  std::vector<std::string> bounds;
  for (const BestAtBound& row : best.at_bounds) {
    bounds.push_back(row.bound);
  }
  return bounds;
}

TEST(BestSoFarTest, NothingWasMeasured) {
  EXPECT_EQ(BestSoFarOf({}, {}, {}), BestSoFar());
  EXPECT_EQ(BestSoFarOf(std::vector<Trial>{Rejected()}, {}, {}), BestSoFar());
}

TEST(BestSoFarTest, TheFastestOfAllOfTheGoalAndAtEachBound) {
  const std::vector<Trial> trials = {Rejected(), Plan(1, 100, 0), Plan(0.5, 25, 0.05),
                                     Plan(0.7, 45, 0.006), Plan(0.8, 44, 0.007)};
  const BestSoFar best = BestSoFarOf(trials, {.min_sqnr_db = 40}, {});
  EXPECT_EQ(best.front_points, 3U);
  EXPECT_EQ(best.any, (BestPlan{0.5, 0.05, 25}));
  EXPECT_EQ(best.meeting, (BestPlan{0.7, 0.006, 45}));
  EXPECT_THAT(best.at_bounds, ElementsAre(BestAtBound{"min_sqnr_db=20", {0.5, 0.05, 25}},
                                          BestAtBound{"min_sqnr_db=30", {0.7, 0.006, 45}},
                                          BestAtBound{"min_sqnr_db=40", {0.7, 0.006, 45}},
                                          BestAtBound{"min_sqnr_db=50", {1, 0, 100}},
                                          BestAtBound{"min_sqnr_db=60", {1, 0, 100}}));
}

TEST(BestSoFarTest, WithoutBoundsEveryPlanMeetsTheGoal) {
  const std::vector<Trial> trials = {Plan(0.5, 25, 0.05), Plan(0.7, 45, 0.006)};
  const BestSoFar best = BestSoFarOf(trials, {}, {});
  EXPECT_EQ(best.meeting, best.any);
  EXPECT_FALSE(BestSoFarOf(trials, {.max_latency_ratio = 0.4}, {}).meeting.has_value());
}

TEST(BestSoFarTest, OfEquallyFastPlansTheMoreAccurateOne) {
  const std::vector<Trial> trials = {Plan(0.5, 25, 0.05), Plan(0.5, 27, 0.04)};
  EXPECT_EQ(BestSoFarOf(trials, {}, {}).any, (BestPlan{0.5, 0.04, 27}));
}

TEST(BestSoFarTest, ADropOfTop1IsThatAgainstFloat32) {
  Trial trial = Plan(0.5, 25, 0.05);
  std::get<Measurement>(trial.outcome).accuracy.metrics.push_back({"top1", 0.9, 0, 0});
  const std::vector<Trial> trials = {trial};
  EXPECT_TRUE(BestSoFarOf(trials, {.max_top1_drop = 0.02}, 0.91).meeting.has_value());
  EXPECT_FALSE(BestSoFarOf(trials, {.max_top1_drop = 0.02}, 0.95).meeting.has_value());
}

TEST(BestSoFarTest, WithoutFloatingOutputsTheBoundsAreOfAgreement) {
  const std::vector<Trial> trials = {DiscretePlan(0.5, 0.95), DiscretePlan(0.75, 1)};
  const BestSoFar best = BestSoFarOf(trials, {.min_agreement = 0.99}, {});
  EXPECT_THAT(BoundsIn(best),
              ElementsAre("min_agreement=0.9", "min_agreement=0.99", "min_agreement=0.999"));
  EXPECT_EQ(best.at_bounds[0].plan.latency_ratio, 0.5);
  EXPECT_EQ(best.meeting, (BestPlan{0.75, 0, std::nullopt}));
}

TEST(BestSoFarTest, WhatIsNoFiniteNumberIsPassedOver) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const BestSoFar best = BestSoFarOf(std::vector<Trial>{Plan(0.5, 25, kNan)}, {}, {});
  EXPECT_FALSE(best.any.has_value());
  EXPECT_THAT(best.at_bounds, IsEmpty());
}

TEST(BestSoFarTest, TheListHoldsBoundsThatAGoalMayHave) {
  for (const std::string& bound : BoundsOfBest()) {
    const auto equals = bound.find('=');
    const auto rows = AllBounds();
    const auto row = std::ranges::find(rows, bound.substr(0, equals), &BoundRow::name);
    ASSERT_NE(row, rows.end()) << bound;
    Constraints constraints;
    ASSERT_TRUE(ParseBound(bound.substr(equals + 1), *row, constraints)) << bound;
    EXPECT_EQ(bound, std::string(row->name) + "=" + BoundText(*row, constraints));
  }
}

}  // namespace
}  // namespace halftone
