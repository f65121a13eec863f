#include "search/measure/placements.h"

#include <gtest/gtest.h>

#include "src/base/rng.h"

namespace halftone {
namespace {

// A placement whose rounds scatter by `noise` around `ratio`.
Latency Placement(double ratio, double noise, Rng& rng) {
  Latency latency;
  std::vector<double> ratios;
  for (int round = 0; round < 40; ++round) {
    latency.anchor_samples_s.push_back(1e-3);
    latency.candidate_samples_s.push_back(1e-3 * (ratio + noise * rng.Normal()));
    ratios.push_back(latency.candidate_samples_s.back() / 1e-3);
  }
  latency.ratio = Median(ratios);
  return latency;
}

TEST(PoolPlacementsTest, OnePlacementIsItself) {
  Rng rng(1);
  const Latency one = Placement(0.8, 0.01, rng);
  const Latency pooled = PoolPlacements({&one, 1});
  EXPECT_EQ(pooled.ratio, one.ratio);
  EXPECT_EQ(pooled.candidate_samples_s, one.candidate_samples_s);
  EXPECT_LE(pooled.ratio_interval.low, one.ratio);
  EXPECT_GE(pooled.ratio_interval.high, one.ratio);
  EXPECT_LT(pooled.ratio_interval.half_width(), 0.01);
}

// Identical plans whose placements differ by 1 % (normal): the interval must hold the true ratio 1
// in 95 % of repetitions. Of 400, fewer than 95 % - 4 sd (sd = sqrt(0.95 * 0.05 / 400) = 1.1 %) has
// a probability below 1e-4. The rounds alone (noise 0.2 %, 40 rounds each) would hold it in few.
class PoolPlacementsCountTest : public ::testing::TestWithParam<int> {};

TEST_P(PoolPlacementsCountTest, TheIntervalKnowsThatPlacementsDiffer) {
  constexpr int kRepetitions = 400;
  int held = 0;
  int held_by_rounds = 0;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    Rng rng(static_cast<std::uint64_t>(repetition) + 1);
    std::vector<Latency> parts;
    for (int i = 0; i < GetParam(); ++i) {
      parts.push_back(Placement(1 + 0.01 * rng.Normal(), 0.002, rng));
    }
    const Interval interval = PoolPlacements(parts).ratio_interval;
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
    const Interval rounds = BootstrapMedianInterval(
        [&] {
          std::vector<double> ratios;
          for (std::size_t i = 0; i < parts[0].candidate_samples_s.size(); ++i) {
            ratios.push_back(parts[0].candidate_samples_s[i] / parts[0].anchor_samples_s[i]);
          }
          return ratios;
        }(),
        {.seed = 1});
    held_by_rounds += rounds.low <= 1 && 1 <= rounds.high ? 1 : 0;
  }
  EXPECT_GE(held, kRepetitions * 0.906);
  EXPECT_LT(held_by_rounds, kRepetitions / 2);
}

INSTANTIATE_TEST_SUITE_P(Counts, PoolPlacementsCountTest,
                         ::testing::Values(kPlacements, kSlowPlacements, kFewestPlacements));

// A loaded machine: placements that lie a factor of ten apart. A ratio of times is positive.
TEST(PoolPlacementsTest, NoBoundIsNegativeHoweverFarPlacementsLieApart) {
  Rng rng(1);
  std::vector<Latency> parts;
  for (const double ratio : {0.3, 3.0, 1.0, 0.5}) {
    parts.push_back(Placement(ratio, 0.002, rng));
  }
  const Latency pooled = PoolPlacements(parts);
  EXPECT_GT(pooled.ratio_interval.low, 0);
  EXPECT_LE(pooled.ratio_interval.low, 0.3);
  EXPECT_GE(pooled.ratio_interval.high, 3.0);
}

}  // namespace
}  // namespace halftone
