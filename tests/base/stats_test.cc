#include "src/base/stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/base/error.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

TEST(StatsTest, Median) {
  EXPECT_EQ(Median(std::vector<double>{3}), 3);
  EXPECT_EQ(Median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(Median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median(std::vector<double>{1, 1, 1e9}), 1);
  EXPECT_THROW(Median({}), Error);
}

// Type 7 of Hyndman and Fan, the values R gives for quantile(c(1, 2, 4, 8)).
TEST(StatsTest, Quantile) {
  const std::vector<double> sample = {8, 1, 4, 2};
  EXPECT_DOUBLE_EQ(Quantile(sample, 0), 1);
  EXPECT_DOUBLE_EQ(Quantile(sample, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(Quantile(sample, 0.5), 3);
  EXPECT_DOUBLE_EQ(Quantile(sample, 0.75), 5);
  EXPECT_DOUBLE_EQ(Quantile(sample, 1), 8);
  EXPECT_DOUBLE_EQ(Quantile(std::vector<double>{7}, 0.3), 7);
  EXPECT_THROW(Quantile({}, 0.5), Error);
  EXPECT_THROW(Quantile(sample, 1.1), Error);
}

TEST(StatsTest, MedianAbsoluteDeviation) {
  EXPECT_EQ(MedianAbsoluteDeviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(MedianAbsoluteDeviation(std::vector<double>{5, 5, 5}), 0);
  EXPECT_THROW(MedianAbsoluteDeviation({}), Error);
}

TEST(StatsTest, BootstrapIsDeterministicAndContainsTheMedian) {
  const std::vector<double> sample = {1, 5, 2, 8, 3, 9, 4};
  const Interval interval = BootstrapMedianInterval(sample, {.seed = 7});
  EXPECT_EQ(interval, BootstrapMedianInterval(sample, {.seed = 7}));
  EXPECT_LE(interval.low, 4);
  EXPECT_GE(interval.high, 4);
  EXPECT_EQ(BootstrapMedianInterval(std::vector<double>{2}), (Interval{2, 2}));
  EXPECT_THROW(BootstrapMedianInterval({}), Error);
}

// The interval of a mean of n values with the standard deviation s is near mean +- 1.96 s /
// sqrt(n); the percentile bootstrap takes s with 1/n, and its 1000 resamples leave the bounds 0.1 s
// / sqrt(n) uncertain (the density of the normal at its 2.5 % point is 0.058: sqrt(0.025 / 1000) /
// 0.058).
TEST(StatsTest, BootstrapOfTheMeanIsNearTheNormalInterval) {
  Rng rng(4);
  std::vector<double> sample(400);
  double mean = 0;
  for (double& value : sample) {
    value = rng.Uniform();
    mean += value / 400;
  }
  const double error = std::sqrt(1.0 / 12 / 400);
  const Interval interval = BootstrapMeanInterval(sample, {.seed = 2});
  EXPECT_NEAR(interval.low, mean - 1.96 * error, 0.5 * error);
  EXPECT_NEAR(interval.high, mean + 1.96 * error, 0.5 * error);
  EXPECT_EQ(interval, BootstrapMeanInterval(sample, {.seed = 2}));
  EXPECT_EQ(BootstrapMeanInterval(std::vector<double>{3, 3, 3}), (Interval{3, 3}));
  EXPECT_THROW(BootstrapMeanInterval({}), Error);
}

// Of 300 samples of 31 standard normals the true median 0 lies in the 95 % interval. The percentile
// bootstrap of a median covers 0.93 to 0.96 at this size; five standard deviations of
// sqrt(300 x 0.93 x 0.07) = 4.4 below 0.93 and above 0.96 (3.4).
// Pairs scatter over 100, their difference over 0.2: the interval is of the difference.
TEST(StatsTest, NormalIntervalOfTheMean) {
  const double sample[] = {1, 2, 3, 4};
  // Standard deviation sqrt(5 / 3), standard error half of it.
  const double half_width = 1.959963984540054 * std::sqrt(5.0 / 3) / 2;
  const Interval interval = NormalMeanInterval(sample);
  EXPECT_DOUBLE_EQ(interval.low, 2.5 - half_width);
  EXPECT_DOUBLE_EQ(interval.high, 2.5 + half_width);
  EXPECT_EQ(NormalMeanInterval(2.5, 5, 4), interval);
  const double alike[] = {3, 3};
  EXPECT_EQ(NormalMeanInterval(alike), (Interval{3, 3}));
}

TEST(StatsTest, BootstrapOfPairsKeepsThemTogether) {
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 40; ++i) {
    first.push_back((i * 37) % 100);
    second.push_back(first.back() + 1 + 0.1 * (i % 3 - 1));
  }
  const auto difference = [](double a, double b) { return b - a; };
  const Interval interval = BootstrapPairedMeansInterval(first, second, difference, {.seed = 2});
  EXPECT_GT(interval.low, 0.95);
  EXPECT_LT(interval.high, 1.05);
  EXPECT_GT(interval.half_width(), 0.01);
  EXPECT_EQ(interval, BootstrapPairedMeansInterval(first, second, difference, {.seed = 2}));
  EXPECT_THROW(BootstrapPairedMeansInterval(first, {}, difference), Error);
  EXPECT_THROW(BootstrapPairedMeansInterval({}, {}, difference), Error);
}

TEST(StatsTest, BootstrapCoversTheTrueMedian) {
  Rng rng(99);
  int covered = 0;
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::vector<double> sample(31);
    for (double& value : sample) {
      value = rng.Normal();
    }
    const Interval interval = BootstrapMedianInterval(sample);
    covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 279 - 22);
  EXPECT_LT(covered, 300);
}

}  // namespace
}  // namespace halftone
