#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "src/api/retune/retune.h"

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
  return CompareMeasurements(before, after, {.samples = 20, .same_data = same_data});
}

TEST(CompareMeasurementsTest, WhatIsWithinItsIntervalIsAsItWas) {
  const RetunedPoint point = Compare(Measured(0.62, 0.01, 45.0), Measured(0.635, 0.01, 45.4));
  EXPECT_THAT(point.moved, IsEmpty());
  EXPECT_FALSE(point.worse());
}

TEST(CompareMeasurementsTest, LatencyBeyondBothIntervals) {
  const RetunedPoint slower = Compare(Measured(0.62, 0.005, 45), Measured(0.7, 0.005, 45));
  EXPECT_THAT(slower.moved, ElementsAre("latency: 0.620 [0.615, 0.625] -> 0.700 [0.695, 0.705] of "
                                        "float32, slower"));
  EXPECT_TRUE(slower.worse());
  const RetunedPoint faster = Compare(Measured(0.7, 0.005, 45), Measured(0.62, 0.005, 45));
  EXPECT_THAT(faster.moved, ElementsAre("latency: 0.700 [0.695, 0.705] -> 0.620 [0.615, 0.625] of "
                                        "float32, faster"));
  EXPECT_FALSE(faster.worse());
}

TEST(CompareMeasurementsTest, BelowOnePercentIsATieHoweverNarrowTheIntervals) {
  EXPECT_THAT(Compare(Measured(0.6, 1e-4, 45), Measured(0.605, 1e-4, 45)).moved, IsEmpty());
  EXPECT_FALSE(Compare(Measured(0.6, 1e-4, 45), Measured(0.607, 1e-4, 45)).moved.empty());
}

// The interval of now holds what was and a slowdown of more than 25 %.
TEST(CompareMeasurementsTest, AnIntervalThatAnswersNothingIsUndecided) {
  const RetunedPoint wide = Compare(Measured(0.9, 0.01, 45), Measured(1.137, 0.8, 45));
  EXPECT_EQ(wide.undecided,
            "latency: 0.900 [0.890, 0.910] -> 1.137 [0.337, 1.937] of float32, too wide to tell "
            "whether it is slower");
  EXPECT_FALSE(wide.worse());
  EXPECT_EQ(Compare(Measured(0.9, 0.01, 45), Measured(1, 0.1, 45)).undecided, "");
  EXPECT_NE(Compare(Measured(0.9, 0.01, 45), Measured(1, 0.13, 45)).undecided, "");
  // What is certain is not undecided, however wide the interval is.
  EXPECT_EQ(Compare(Measured(0.9, 0.01, 45), Measured(3, 2, 45)).undecided, "");
  EXPECT_TRUE(Compare(Measured(0.9, 0.01, 45), Measured(3, 2, 45)).slower);
  EXPECT_EQ(Compare(Measured(0.9, 0.01, 45), Measured(0.5, 0.3, 45)).undecided, "");
}

TEST(CompareMeasurementsTest, LatencyInAbsoluteTerms) {
  const auto timed = [](double median_s) {
    Trial trial = Measured(1, 0.1, 45);
    std::get<Measurement>(trial.outcome).latency.median_s = median_s;
    return trial;
  };
  EXPECT_DOUBLE_EQ(Compare(timed(0.001), timed(0.01)).slowdown.value(), 10);
  EXPECT_FALSE(Compare(timed(0), timed(0.01)).slowdown) << "not known then";
}

TEST(CompareMeasurementsTest, AccuracyOnTheSameData) {
  EXPECT_THAT(Compare(Measured(1, 0.1, 45), Measured(1, 0.1, 44.5)).moved, IsEmpty());
  const RetunedPoint worse = Compare(Measured(1, 0.1, 45), Measured(1, 0.1, 44.4));
  EXPECT_THAT(worse.moved, ElementsAre("SQNR: 45.0 dB -> 44.4 dB, worse"));
  EXPECT_TRUE(worse.worse());
  const RetunedPoint better = Compare(Measured(1, 0.1, 45), Measured(1, 0.1, 48));
  EXPECT_THAT(better.moved, ElementsAre("SQNR: 45.0 dB -> 48.0 dB, better"));
  EXPECT_FALSE(better.worse());
}

// 20 samples: one more or less is no news, two are.
TEST(CompareMeasurementsTest, ClassesByTheSample) {
  EXPECT_THAT(Compare(Measured(1, 0.1, 45, 1), Measured(1, 0.1, 45, 0.95)).moved, IsEmpty());
  EXPECT_THAT(Compare(Measured(1, 0.1, 45, 1), Measured(1, 0.1, 45, 0.9)).moved,
              ElementsAre("top-1 agreement with float32: 1.0000 -> 0.9000, worse"));
}

// Of samples with one element one more or less is no news; of many elements 1 % is.
TEST(CompareMeasurementsTest, AgreementOfDiscreteOutputs) {
  const auto agreeing = [](std::vector<double> values) {
    Trial trial = Measured(1, 0.1, 45);
    double sum = 0;
    for (const double value : values) {
      sum += value;
    }
    const double mean = sum / static_cast<double>(values.size());
    const double worst = *std::ranges::min_element(values);
    std::get<Measurement>(trial.outcome).accuracy.metrics = {
        {.name = "agreement", .mean = mean, .worst = worst, .values = std::move(values)}};
    return trial;
  };
  std::vector<double> ones(20, 1.0);
  std::vector<double> one_less = ones;
  one_less[3] = 0;
  EXPECT_THAT(Compare(agreeing(ones), agreeing(one_less)).moved, IsEmpty());
  std::vector<double> two_less = one_less;
  two_less[4] = 0;
  const RetunedPoint worse = Compare(agreeing(ones), agreeing(two_less));
  EXPECT_THAT(worse.moved, ElementsAre("agreement with float32: 100 % -> 90.00 % (2 lower, 0 "
                                       "higher of the same 20 samples), worse"));
  EXPECT_TRUE(worse.worse());
  EXPECT_THAT(Compare(agreeing(ones), agreeing(std::vector<double>(20, 0.995))).moved, IsEmpty());
  EXPECT_THAT(Compare(agreeing(ones), agreeing(std::vector<double>(20, 0.98))).moved.size(), 1);
}

// 1 % of the number of a program, which way is better by --metric_better.
TEST(CompareMeasurementsTest, TheNumberOfAProgram) {
  const auto scored = [](double score) {
    Trial trial = Measured(1, 0.1, 45);
    std::get<Measurement>(trial.outcome)
        .accuracy.metrics.push_back({.name = "command:score", .mean = score});
    return trial;
  };
  ComparedBy by{.samples = 20, .same_data = true};
  by.metric = {.name = "command:score", .better = Better::kLower, .command = {"score"}};
  EXPECT_THAT(CompareMeasurements(scored(50), scored(50.5), by).moved, IsEmpty());
  const RetunedPoint more = CompareMeasurements(scored(50), scored(50.6), by);
  EXPECT_THAT(more.moved, ElementsAre("command:score: 50 -> 50.6, worse"));
  EXPECT_TRUE(more.less_accurate);
  by.metric.better = Better::kHigher;
  EXPECT_THAT(CompareMeasurements(scored(50), scored(50.6), by).moved,
              ElementsAre("command:score: 50 -> 50.6, better"));
  EXPECT_THAT(CompareMeasurements(Measured(1, 0.1, 45), scored(50), by).moved, IsEmpty());
}

TEST(CompareMeasurementsTest, Top5WhereItIsTheMetric) {
  const auto with_top5 = [](double top5) {
    Trial trial = Measured(1, 0.1, 45);
    std::get<Measurement>(trial.outcome).accuracy.metrics.push_back({.name = "top5", .mean = top5});
    return trial;
  };
  ComparedBy by{.samples = 20, .same_data = true};
  EXPECT_THAT(CompareMeasurements(with_top5(1), with_top5(0.9), by).moved, IsEmpty());
  by.metric = {.name = "top5", .better = Better::kHigher};
  EXPECT_THAT(CompareMeasurements(with_top5(1), with_top5(0.95), by).moved, IsEmpty());
  EXPECT_THAT(CompareMeasurements(with_top5(1), with_top5(0.9), by).moved,
              ElementsAre("top-5: 1.0000 -> 0.9000, worse"));
}

Trial Scattered(std::vector<double> values) {
  Trial trial = Measured(1, 0.1, 44);
  std::get<Measurement>(trial.outcome).accuracy.metrics[0].values = std::move(values);
  return trial;
}

// What was before must lie in the interval of the new mean, be it narrower than 0.5 dB or wider.
TEST(CompareMeasurementsTest, TheIntervalOfTheNewMeanJudges) {
  for (const double spread : {0.02, 4.0}) {
    std::vector<double> values;
    for (int i = 0; i < 10; ++i) {
      values.push_back(44 + spread * (i - 4.5) / 9);
    }
    const Trial after = Scattered(values);
    const Interval interval = MeanInterval(after.measurement()->accuracy.metrics[0]).value();
    ASSERT_LT(interval.low, 44);
    ASSERT_GT(interval.high, 44);
    for (const bool same_data : {true, false}) {
      EXPECT_THAT(Compare(Measured(1, 0.1, interval.low), after, same_data).moved, IsEmpty());
      EXPECT_THAT(Compare(Measured(1, 0.1, interval.high), after, same_data).moved, IsEmpty());
      const RetunedPoint better = Compare(Measured(1, 0.1, interval.low - 0.001), after, same_data);
      EXPECT_EQ(better.moved.size(), 1U);
      EXPECT_FALSE(better.worse());
      const RetunedPoint worse = Compare(Measured(1, 0.1, interval.high + 0.001), after, same_data);
      EXPECT_EQ(worse.moved.size(), 1U);
      EXPECT_TRUE(worse.less_accurate);
      EXPECT_FALSE(worse.slower);
    }
  }
  const RetunedPoint worse =
      Compare(Measured(1, 0.1, 50), Scattered({43, 43, 43, 43, 45, 45, 45, 45}));
  EXPECT_THAT(worse.moved, ElementsAre("SQNR: 50.0 dB -> 44.0 dB [43.2, 44.7], worse"));
}

// Samples scatter over 20 dB, so that the means alone say nothing of a fall by 0.3 dB; that each
// sample fell does.
TEST(CompareMeasurementsTest, TheSameSamplesAreComparedInPairs) {
  std::vector<double> then;
  std::vector<double> now;
  for (int i = 0; i < 12; ++i) {
    then.push_back(34 + 20.0 * ((i * 5) % 12) / 11);
    now.push_back(then.back() - 0.3 - 0.05 * (i % 3 - 1));
  }
  const auto with_mean = [](std::vector<double> values) {
    Trial trial = Scattered(std::move(values));
    MetricValue& sqnr = std::get<Measurement>(trial.outcome).accuracy.metrics[0];
    double power = 0;
    for (const double value : sqnr.values) {
      power += std::pow(10, -value / 10) / static_cast<double>(sqnr.values.size());
    }
    sqnr.mean = -10 * std::log10(power);
    return trial;
  };
  const RetunedPoint worse = Compare(with_mean(then), with_mean(now));
  EXPECT_THAT(worse.moved, ElementsAre("SQNR: 40.2 dB -> 39.9 dB (-0.3 dB [-0.3, -0.3] on the same "
                                       "12 samples), worse"));
  EXPECT_TRUE(worse.less_accurate);
  const RetunedPoint better = Compare(with_mean(now), with_mean(then));
  EXPECT_EQ(better.moved.size(), 1U);
  EXPECT_FALSE(better.worse());
  // Other data, values of one side only, and as many values as there were not: the means judge.
  EXPECT_THAT(Compare(with_mean(then), with_mean(now), false).moved, IsEmpty());
  Trial means_only = with_mean(then);
  std::get<Measurement>(means_only.outcome).accuracy.metrics[0].values.clear();
  EXPECT_THAT(Compare(means_only, with_mean(now)).moved, IsEmpty());
  std::get<Measurement>(means_only.outcome).accuracy.metrics[0].values.assign(11, 38);
  EXPECT_THAT(Compare(means_only, with_mean(now)).moved, IsEmpty());
}

// Certain, and too small to matter; large in the mean, and not certain of it.
TEST(CompareMeasurementsTest, PairsThatDoNotTell) {
  const std::vector<double> then(10, 44);
  EXPECT_THAT(Compare(Scattered(then), Scattered(std::vector<double>(10, 43.91))).moved, IsEmpty());
  EXPECT_EQ(Compare(Scattered(then), Scattered(std::vector<double>(10, 43.89))).moved.size(), 1U);
  std::vector<double> uneven(10, 44.2);
  uneven[3] = 40;  // one sample lost what the nine others gained
  EXPECT_THAT(Compare(Scattered(then), Scattered(uneven)).moved, IsEmpty());
}

TEST(CompareMeasurementsTest, SamplesThatChangedTheirClassAreCounted) {
  const auto with_classes = [](double mean, std::vector<double> values) {
    Trial trial = Measured(1, 0.1, 45, mean);
    std::get<Measurement>(trial.outcome).accuracy.metrics[1].values = std::move(values);
    return trial;
  };
  std::vector<double> then(20, 1);
  then[0] = 0;
  std::vector<double> now(20, 1);
  std::fill_n(now.begin() + 4, 3, 0);
  EXPECT_THAT(Compare(with_classes(0.95, then), with_classes(0.85, now)).moved,
              ElementsAre("top-1 agreement with float32: 0.9500 -> 0.8500 (3 lower, 1 higher of "
                          "the same 20 samples), worse"));
}

// Seven samples, and any number of samples that are all alike, give no interval to judge by.
TEST(CompareMeasurementsTest, WithoutAnIntervalHalfADecibelIsNoNews) {
  for (const Trial& after : {Scattered({40, 41, 43, 44, 45, 47, 48}),
                             Scattered({44, 44, 44, 44, 44, 44, 44, 44, 44, 44})}) {
    EXPECT_THAT(Compare(Measured(1, 0.1, 44.5), after).moved, IsEmpty());
    EXPECT_THAT(Compare(Measured(1, 0.1, 44.6), after).moved,
                ElementsAre("SQNR: 44.6 dB -> 44.0 dB, worse"));
  }
}

// Other samples scatter: of classes both count, a sample and the interval.
TEST(CompareMeasurementsTest, ClassesOnOtherData) {
  Trial after = Measured(1, 0.1, 45, 0.8);
  MetricValue& agreement = std::get<Measurement>(after.outcome).accuracy.metrics[1];
  agreement.values.assign(20, 1);
  std::fill_n(agreement.values.begin(), 4, 0);
  const double high = MeanInterval(agreement).value().high;
  EXPECT_GT(high, 0.9);
  EXPECT_THAT(Compare(Measured(1, 0.1, 45, high), after, false).moved, IsEmpty());
  EXPECT_FALSE(Compare(Measured(1, 0.1, 45, high + 0.01), after, false).moved.empty());
  EXPECT_FALSE(Compare(Measured(1, 0.1, 45, high), after, true).moved.empty());
}

TEST(CompareMeasurementsTest, WhatCannotRunAnyMore) {
  Trial after;
  after.outcome = Rejection{"node 'conv1' makes inf"};
  const RetunedPoint point = Compare(Measured(1, 0.1, 45), after);
  EXPECT_THAT(point.moved, ElementsAre("it cannot run any more: node 'conv1' makes inf"));
  EXPECT_TRUE(point.worse());
}

}  // namespace
}  // namespace halftone
