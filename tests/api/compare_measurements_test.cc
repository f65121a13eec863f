#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/retune.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Trial Measured(double ratio, double half_width, double sqnr_db, double agreement = 1) {
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.latency.ratio_interval = {ratio - half_width, ratio + half_width};
  measurement.accuracy.metrics = {{.name = "sqnr_db", .mean = sqnr_db},
                                  {.name = "top1_agreement", .mean = agreement}};
  Trial trial;
  trial.outcome = measurement;
  return trial;
}

RetunedPoint Compare(const Trial& before, const Trial& after, bool same_data = true) {
  return CompareMeasurements(before, after, 20, same_data);
}

TEST(CompareMeasurementsTest, WhatIsWithinItsIntervalIsAsItWas) {
  const RetunedPoint point = Compare(Measured(0.62, 0.01, 45.0), Measured(0.635, 0.01, 45.4));
  EXPECT_THAT(point.moved, IsEmpty());
  EXPECT_FALSE(point.worse);
}

TEST(CompareMeasurementsTest, LatencyBeyondBothIntervals) {
  const RetunedPoint slower = Compare(Measured(0.62, 0.005, 45), Measured(0.7, 0.005, 45));
  EXPECT_THAT(slower.moved, ElementsAre("latency: 0.620 [0.615, 0.625] -> 0.700 [0.695, 0.705] of "
                                        "float32, slower"));
  EXPECT_TRUE(slower.worse);
  const RetunedPoint faster = Compare(Measured(0.7, 0.005, 45), Measured(0.62, 0.005, 45));
  EXPECT_THAT(faster.moved, ElementsAre("latency: 0.700 [0.695, 0.705] -> 0.620 [0.615, 0.625] of "
                                        "float32, faster"));
  EXPECT_FALSE(faster.worse);
}

TEST(CompareMeasurementsTest, BelowOnePercentIsATieHoweverNarrowTheIntervals) {
  EXPECT_THAT(Compare(Measured(0.6, 1e-4, 45), Measured(0.605, 1e-4, 45)).moved, IsEmpty());
  EXPECT_FALSE(Compare(Measured(0.6, 1e-4, 45), Measured(0.607, 1e-4, 45)).moved.empty());
}

TEST(CompareMeasurementsTest, AccuracyOnTheSameData) {
  EXPECT_THAT(Compare(Measured(1, 0.1, 45), Measured(1, 0.1, 44.5)).moved, IsEmpty());
  const RetunedPoint worse = Compare(Measured(1, 0.1, 45), Measured(1, 0.1, 44.4));
  EXPECT_THAT(worse.moved, ElementsAre("SQNR: 45.0 dB -> 44.4 dB, worse"));
  EXPECT_TRUE(worse.worse);
  const RetunedPoint better = Compare(Measured(1, 0.1, 45), Measured(1, 0.1, 48));
  EXPECT_THAT(better.moved, ElementsAre("SQNR: 45.0 dB -> 48.0 dB, better"));
  EXPECT_FALSE(better.worse);
}

// 20 samples: one more or less is no news, two are.
TEST(CompareMeasurementsTest, ClassesByTheSample) {
  EXPECT_THAT(Compare(Measured(1, 0.1, 45, 1), Measured(1, 0.1, 45, 0.95)).moved, IsEmpty());
  EXPECT_THAT(Compare(Measured(1, 0.1, 45, 1), Measured(1, 0.1, 45, 0.9)).moved,
              ElementsAre("top-1 agreement with float32: 1.0000 -> 0.9000, worse"));
}

// Other samples scatter: the interval of the new mean counts.
TEST(CompareMeasurementsTest, AccuracyOnOtherData) {
  Trial after = Measured(1, 0.1, 44);
  auto& metric = std::get<Measurement>(after.outcome).accuracy.metrics[0];
  metric.values = {40, 42, 44, 46, 48};  // half width 1.96 * 3.16 / sqrt(5) = 2.77
  EXPECT_THAT(Compare(Measured(1, 0.1, 46.7), after, false).moved, IsEmpty());
  EXPECT_FALSE(Compare(Measured(1, 0.1, 46.8), after, false).moved.empty());
  EXPECT_FALSE(Compare(Measured(1, 0.1, 46.7), after, true).moved.empty());
}

TEST(CompareMeasurementsTest, WhatCannotRunAnyMore) {
  Trial after;
  after.outcome = Rejection{"node 'conv1' makes inf"};
  const RetunedPoint point = Compare(Measured(1, 0.1, 45), after);
  EXPECT_THAT(point.moved, ElementsAre("it cannot run any more: node 'conv1' makes inf"));
  EXPECT_TRUE(point.worse);
}

}  // namespace
}  // namespace halftone
