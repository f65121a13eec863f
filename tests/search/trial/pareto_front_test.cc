#include "search/trial/pareto_front.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/base/rng.h"

namespace halftone {
namespace {

Trial TrialAt(double latency, double loss, std::uint64_t plan) {
  Measurement measurement;
  measurement.latency.ratio = latency;
  measurement.accuracy.metrics = {{"rel_l2", loss, loss, 0}};
  Trial trial;
  trial.plan_digest = {1, plan};
  trial.outcome = measurement;
  return trial;
}

Trial RejectedTrial() {
  Trial trial;
  trial.outcome = Rejection{"overflow"};
  return trial;
}

Objectives At(const Trial& trial) {
  return ObjectivesOf(*trial.measurement());
}

TEST(ParetoFrontTest, DominatesNeedsOneStrictly) {
  EXPECT_TRUE(Dominates({1, 1}, {2, 1}));
  EXPECT_TRUE(Dominates({1, 1}, {1, 2}));
  EXPECT_FALSE(Dominates({1, 1}, {1, 1}));
  EXPECT_FALSE(Dominates({1, 2}, {2, 1}));
}

TEST(ParetoFrontTest, Examples) {
  EXPECT_TRUE(ParetoFront({}).empty());
  const std::vector<Trial> trials = {TrialAt(1, 0, 1),     TrialAt(0.5, 0.1, 2),
                                     RejectedTrial(),      TrialAt(0.7, 0.2, 3),
                                     TrialAt(0.5, 0.1, 4), TrialAt(0.8, 0.05, 5)};
  EXPECT_EQ(ParetoFront(trials), (std::vector<std::size_t>{1, 5, 0}));
  EXPECT_TRUE(ParetoFront(std::vector<Trial>{RejectedTrial()}).empty());
}

TEST(ParetoFrontTest, OfEqualPlansTheFirstIsTaken) {
  const std::vector<Trial> trials = {TrialAt(1, 0.5, 7), TrialAt(0.9, 0.4, 7)};
  EXPECT_EQ(ParetoFront(trials), (std::vector<std::size_t>{0}));
}

TEST(ParetoFrontTest, Properties) {
  Rng rng(11);
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<Trial> trials;
    const std::size_t count = rng.Below(30);
    for (std::size_t i = 0; i < count; ++i) {  // a coarse grid, so that ties happen
      trials.push_back(TrialAt(0.1 * static_cast<double>(rng.Below(8)),
                               0.1 * static_cast<double>(rng.Below(8)), i));
    }
    const auto front = ParetoFront(trials);
    for (const std::size_t member : front) {
      for (const Trial& trial : trials) {
        EXPECT_FALSE(Dominates(At(trial), At(trials[member])));
      }
    }
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const bool excluded = std::find(front.begin(), front.end(), i) == front.end();
      EXPECT_TRUE(!excluded || std::any_of(front.begin(), front.end(), [&](std::size_t member) {
        return Dominates(At(trials[member]), At(trials[i])) || At(trials[member]) == At(trials[i]);
      }));
    }
    std::set<std::pair<double, double>> objectives;
    for (const std::size_t member : front) {
      objectives.emplace(At(trials[member]).latency_ratio, At(trials[member]).loss);
    }
    EXPECT_EQ(objectives.size(), front.size());
    rng.Shuffle(std::span(trials));
    std::set<std::pair<double, double>> shuffled;
    for (const std::size_t member : ParetoFront(trials)) {
      shuffled.emplace(At(trials[member]).latency_ratio, At(trials[member]).loss);
    }
    EXPECT_EQ(objectives, shuffled) << "insertion order is irrelevant";
  }
}

Trial TimedTrial(double low, double ratio, double high, double loss, std::uint64_t plan) {
  Trial trial = TrialAt(ratio, loss, plan);
  std::get<Measurement>(trial.outcome).latency.ratio_interval = {low, high};
  return trial;
}

// Every plan has the classes of float32: the error decides, else the fastest alone would be left.
TEST(ParetoFrontTest, WhereTheMetricIsSaturatedTheErrorDecides) {
  const auto saturated = [](double ratio, double error, double loss, std::uint64_t plan) {
    Trial trial = TrialAt(ratio, error, plan);
    std::get<Measurement>(trial.outcome).accuracy.loss = loss;
    return trial;
  };
  const std::vector<Trial> trials = {saturated(0.5, 0.1, -1, 1), saturated(0.7, 0.01, -1, 2),
                                     saturated(0.8, 0.05, -1, 3), saturated(0.9, 0.001, -1, 4),
                                     saturated(0.4, 0.0001, -0.9, 5)};
  EXPECT_EQ(ParetoFront(trials), (std::vector<std::size_t>{4, 0, 1, 3}))
      << "a better metric beats any error";
  EXPECT_EQ(RacingBounds(trials).RatioToBeat({-1, 0.0005}),
            std::numeric_limits<double>::infinity());
}

TEST(DistinctFrontTest, ATieStaysWithTheMoreAccurate) {
  // 0.6 % apart: a tie whatever the intervals say. 2 % apart: a tie only where they overlap.
  const Trial accurate = TimedTrial(0.499, 0.5, 0.501, 0.1, 1);
  const auto front_with = [&](const Trial& other) {
    return DistinctFront(std::vector<Trial>{other, accurate});
  };
  EXPECT_EQ(front_with(TimedTrial(0.4969, 0.497, 0.4971, 0.2, 2)), (std::vector<std::size_t>{1}));
  EXPECT_EQ(front_with(TimedTrial(0.48, 0.49, 0.5, 0.2, 2)), (std::vector<std::size_t>{1}));
  EXPECT_EQ(front_with(TimedTrial(0.488, 0.49, 0.492, 0.2, 2)), (std::vector<std::size_t>{0, 1}));
  // 5 % apart on a loaded machine: the medians count.
  EXPECT_EQ(front_with(TimedTrial(0.40, 0.475, 0.55, 0.2, 2)), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(DistinctFront({}).empty());
}

// Each is tied with its neighbours and not with the next but one: every second one stays, and none
// that is left out is far from what stays.
// An unconfirmed plan that is ahead by chance, of a confirmed one that is as accurate.
TEST(ProvenFrontTest, AnUnconfirmedMemberDoesNotDisplaceAConfirmedOneByChance) {
  const auto at = [](double ratio, Interval interval, double loss, bool confirmed,
                     std::uint64_t plan) {
    Trial trial = TrialAt(ratio, loss, plan);
    auto& measurement = std::get<Measurement>(trial.outcome);
    measurement.latency.ratio_interval = interval;
    measurement.confirmed = confirmed;
    return trial;
  };
  using Indices = std::vector<std::size_t>;
  const Trial confirmed = at(0.52, {0.50, 0.54}, 0.01, true, 1);
  const auto front_beside = [&](const Trial& other) {
    return ProvenFront(std::vector<Trial>{confirmed, other});
  };
  EXPECT_EQ(front_beside(at(0.50, {0.45, 0.55}, 0.01, false, 2)), Indices({0})) << "overlaps";
  EXPECT_EQ(front_beside(at(0.50, {0.45, 0.55}, 0.02, false, 2)), Indices({0})) << "less accurate";
  EXPECT_EQ(front_beside(at(0.48, {0.47, 0.49}, 0.01, false, 2)), Indices({1})) << "is faster";
  EXPECT_EQ(front_beside(at(0.40, {0.30, 0.60}, 0.01, false, 2)), Indices({1}))
      << "so much that it may not be left out";
  EXPECT_EQ(front_beside(at(0.50, {0.45, 0.55}, 0.01, true, 2)), Indices({1})) << "is confirmed";
  EXPECT_EQ(front_beside(at(0.60, {0.45, 0.65}, 0.001, false, 2)), Indices({0, 1}))
      << "more accurate";
}

TEST(DistinctFrontTest, TiesDoNotChain) {
  std::vector<Trial> trials;
  for (int i = 0; i < 9; ++i) {
    const double ratio = 0.5 * std::pow(1.008, i);
    trials.push_back(TimedTrial(ratio, ratio, ratio, 0.9 - 0.1 * i, static_cast<std::uint64_t>(i)));
  }
  EXPECT_EQ(DistinctFront(trials), (std::vector<std::size_t>{0, 2, 4, 6, 8}));
}

TEST(DistinctFrontTest, WhatIsLeftOutHasAMoreAccurateMemberNearby) {
  Rng rng(12);
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < 20; ++i) {
      const double ratio = rng.Uniform(0.5, 0.7);
      const double half_width = rng.Uniform(0, 0.05);
      trials.push_back(TimedTrial(ratio - half_width, ratio, ratio + half_width, rng.Uniform(), i));
    }
    const auto distinct = DistinctFront(trials);
    for (const std::size_t member : ParetoFront(trials)) {
      EXPECT_TRUE(std::ranges::any_of(distinct, [&](std::size_t stays) {
        return At(trials[stays]).loss <= At(trials[member]).loss &&
               At(trials[stays]).latency_ratio <=
                   At(trials[member]).latency_ratio * (1 + kNoisyTieRatio);
      }));
    }
  }
}

TEST(HypervolumeTest, Examples) {
  const Objectives reference{1, 1};
  EXPECT_EQ(Hypervolume({}, reference), 0);
  EXPECT_DOUBLE_EQ(Hypervolume(std::vector<Objectives>{{0.5, 0.5}}, reference), 0.25);
  EXPECT_DOUBLE_EQ(Hypervolume(std::vector<Objectives>{{0.75, 0.25}, {0.25, 0.75}}, reference),
                   0.75 * 0.25 + 0.25 * 0.5);
  EXPECT_EQ(Hypervolume(std::vector<Objectives>{{1.5, 0.1}}, reference), 0) << "outside";
}

// Against counting the dominated cells of a grid, which is exact for objectives on the grid.
TEST(HypervolumeTest, EqualsCountedArea) {
  Rng rng(5);
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::vector<Objectives> points(rng.Below(6));
    for (Objectives& point : points) {
      point = {static_cast<double>(rng.Below(12)), static_cast<double>(rng.Below(12))};
    }
    int cells = 0;
    for (int x = 0; x < 10; ++x) {
      for (int y = 0; y < 10; ++y) {
        cells += std::any_of(points.begin(), points.end(),
                             [&](const Objectives& point) {
                               return point.latency_ratio <= x && point.loss <= y;
                             })
                     ? 1
                     : 0;
      }
    }
    EXPECT_DOUBLE_EQ(Hypervolume(points, {10, 10}), cells);
  }
}

Trial IntervalUpTo(double high, double loss) {
  Measurement measurement;
  measurement.latency.ratio_interval = {high - 0.1, high};
  measurement.accuracy.metrics = {{"rel_l2", loss, loss, 0}};
  Trial trial;
  trial.outcome = measurement;
  return trial;
}

TEST(RacingBoundsTest, TheUpperEndOfTheFastestThatIsNoLessAccurate) {
  std::vector<Trial> trials = {IntervalUpTo(0.9, 0), IntervalUpTo(0.5, 0.1),
                               IntervalUpTo(0.7, 0.2)};
  trials.emplace_back().outcome = Rejection{"overflow"};
  const RacingBounds bounds(trials);
  EXPECT_EQ(bounds.RatioToBeat({0, 0}), 0.9) << "as accurate counts";
  EXPECT_EQ(bounds.RatioToBeat({0.05, 0.05}), 0.9);
  EXPECT_EQ(bounds.RatioToBeat({0.1, 0.1}), 0.5);
  EXPECT_EQ(bounds.RatioToBeat({0.3, 0.3}), 0.5) << "not the slower one between";
}

TEST(RacingBoundsTest, WithoutATrialAsAccurateThereIsNoRace) {
  const std::vector<Trial> trials = {IntervalUpTo(0.5, 0.1)};
  EXPECT_TRUE(std::isinf(RacingBounds(trials).RatioToBeat({0.05, 0.05})));
  EXPECT_TRUE(std::isinf(RacingBounds().RatioToBeat({1, 1})));
}

}  // namespace
}  // namespace halftone
