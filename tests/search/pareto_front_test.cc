#include "search/pareto_front.h"

#include <gtest/gtest.h>

#include <algorithm>
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

}  // namespace
}  // namespace halftone
