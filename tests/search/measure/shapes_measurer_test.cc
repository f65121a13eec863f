#include "search/measure/shapes_measurer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/base/rng.h"

namespace halftone {
namespace {

Latency Of(double ratio, double half_width, double anchor_s, std::size_t rounds) {
  return {.ratio = ratio,
          .ratio_interval = {ratio - half_width, ratio + 2 * half_width},
          .median_s = ratio * anchor_s,
          .anchor_median_s = anchor_s,
          .candidate_samples_s = std::vector<double>(rounds, ratio * anchor_s),
          .anchor_samples_s = std::vector<double>(rounds, anchor_s)};
}

TEST(WeightedLatencyTest, OneShapeIsItself) {
  const Latency latency = Of(0.7, 0.01, 0.002, 12);
  EXPECT_EQ(WeightedLatency(std::vector{latency}, std::vector{5.0}), latency);
}

// 1 ms at 0.5 three times as often as 5 ms at 0.9: (3 * 0.5 + 4.5) / (3 + 5) = 0.75.
TEST(WeightedLatencyTest, IsTheMeanOfTheTimes) {
  const std::vector<Latency> latencies = {Of(0.5, 0.02, 0.001, 10), Of(0.9, 0.01, 0.005, 6)};
  const std::vector<double> weights = {3, 1};
  const Latency mean = WeightedLatency(latencies, weights);
  EXPECT_DOUBLE_EQ(mean.ratio, 0.75);
  EXPECT_DOUBLE_EQ(mean.anchor_median_s, 0.002);
  EXPECT_DOUBLE_EQ(mean.median_s, 0.0015);
  const double width = std::hypot(3.0 / 8 * 0.02, 5.0 / 8 * 0.01);
  EXPECT_NEAR(mean.ratio_interval.low, 0.75 - width, 1e-15);
  EXPECT_NEAR(mean.ratio_interval.high, 0.75 + 2 * width, 1e-15);
  ASSERT_EQ(mean.candidate_samples_s.size(), 6U);
  EXPECT_NEAR(mean.candidate_samples_s[0] / mean.anchor_samples_s[0], 0.75, 1e-15);
  // The unit of the weights does not matter.
  const Latency scaled = WeightedLatency(latencies, std::vector<double>{600, 200});
  EXPECT_DOUBLE_EQ(scaled.ratio, mean.ratio);
  EXPECT_NEAR(scaled.ratio_interval.low, mean.ratio_interval.low, 1e-15);
}

// A mean of intervals that hold the truth with 95 % each, independently, holds it with 95 %: with
// normal errors of 200 draws, 1.5 % is the standard deviation of the share.
TEST(WeightedLatencyTest, TheIntervalHoldsTheTruth) {
  Rng rng(9);
  const std::vector<double> truth = {0.6, 0.9, 1.1};
  const std::vector<double> anchors = {0.001, 0.004, 0.002};
  const std::vector<double> weights = {2, 1, 4};
  double expected = 0;
  double all = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    expected += weights[i] * anchors[i] * truth[i];
    all += weights[i] * anchors[i];
  }
  expected /= all;
  int held = 0;
  constexpr int kDraws = 200;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<Latency> latencies;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double sigma = 0.01 * static_cast<double>(i + 1);
      Latency latency = Of(truth[i] + sigma * rng.Normal(), 0, anchors[i], 6);
      latency.ratio_interval = {latency.ratio - 1.96 * sigma, latency.ratio + 1.96 * sigma};
      latencies.push_back(std::move(latency));
    }
    const Interval interval = WeightedLatency(latencies, weights).ratio_interval;
    held += interval.low <= expected && expected <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, 0.95 * kDraws - 3 * 0.015 * kDraws);
  EXPECT_LT(held, kDraws) << "no wider than it must be";
}

TEST(WeightedLatencyTest, APredictionStaysOne) {
  const auto predicted = [](double ratio) {
    return Latency{
        .ratio = ratio, .ratio_interval = {ratio, ratio}, .median_s = ratio, .anchor_median_s = 1};
  };
  const Latency mean =
      WeightedLatency(std::vector{predicted(0.5), predicted(0.75)}, std::vector<double>{1, 1});
  EXPECT_TRUE(mean.is_predicted());
  EXPECT_DOUBLE_EQ(mean.ratio, 0.625);
}

}  // namespace
}  // namespace halftone
