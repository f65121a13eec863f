#include "src/accuracy/paired_change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace halftone {
namespace {

MetricValue Values(std::string name, std::vector<double> values) {
  return {.name = std::move(name), .values = std::move(values)};
}

// Decibels are averaged as powers: a sample at 20 dB that loses 3 dB outweighs one at 60 dB.
TEST(PairedChangeTest, IsOnTheScaleOfTheMean) {
  const auto change =
      ChangeOfMean(Values("sqnr_db", {20, 60}), Values("sqnr_db", {17, 66})).value();
  const double then = -10 * std::log10((1e-2 + 1e-6) / 2);
  const double now = -10 * std::log10((std::pow(10, -1.7) + std::pow(10, -6.6)) / 2);
  EXPECT_NEAR(change.change, now - then, 1e-12);
  EXPECT_LT(change.change, -2.9);
  EXPECT_EQ(change.samples, 2);
  EXPECT_EQ(change.lower, 1);
  EXPECT_EQ(change.higher, 1);
  EXPECT_NEAR(change.interval.low, -3, 1e-12);  // the first pair twice
  EXPECT_NEAR(change.interval.high, 6, 1e-12);  // the second
}

TEST(PairedChangeTest, OfAPlainMean) {
  const auto change =
      ChangeOfMean(Values("top1", {1, 1, 0, 1}), Values("top1", {1, 0, 0, 1})).value();
  EXPECT_EQ(change.change, -0.25);
  EXPECT_EQ(change.lower, 1);
  EXPECT_EQ(change.higher, 0);
  EXPECT_LE(change.interval.low, -0.25);
  EXPECT_EQ(change.interval.high, 0);
}

TEST(PairedChangeTest, WhatDidNotChange) {
  const MetricValue value = Values("sqnr_db", {kExactSqnrDb, 30, 45, 12});
  const auto change = ChangeOfMean(value, value).value();
  EXPECT_EQ(change.change, 0);
  EXPECT_EQ(change.interval, (Interval{0, 0}));
}

TEST(PairedChangeTest, NeedsPairs) {
  EXPECT_FALSE(ChangeOfMean(Values("top1", {}), Values("top1", {})));
  EXPECT_FALSE(ChangeOfMean(Values("top1", {}), Values("top1", {1})));
  EXPECT_FALSE(ChangeOfMean(Values("top1", {1, 1}), Values("top1", {1})));
}

}  // namespace
}  // namespace halftone
