// Means and their intervals over more samples than values are kept of.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/accuracy/metrics.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

SampleMetrics OfSqnrAndRelL2(double sqnr_db, double rel_l2) {
  SampleMetrics sample;
  sample.values.resize(AllMetrics().size());
  sample.values[0] = sqnr_db;
  sample.values[1] = rel_l2;
  return sample;
}

// Values of so many samples, skewed as errors are.
std::vector<SampleMetrics> SkewedSamples(std::size_t count) {
  Rng rng(7);
  std::vector<SampleMetrics> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = std::exp(-6 + rng.Normal());
    samples.push_back(OfSqnrAndRelL2(-20 * std::log10(error), error));
  }
  return samples;
}

TEST(AccuracyAccumulatorTest, AMillionSamplesNeedNoMemoryForTheirValues) {
  const std::vector<SampleMetrics> samples = SkewedSamples(kMostResampled + 1);
  AccuracyAccumulator keeps;
  AccuracyAccumulator sums(kMostResampled);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i + 1 == samples.size()) {
      // Up to here both are the same, bit by bit.
      EXPECT_EQ(keeps.Finish(), sums.Finish());
      EXPECT_EQ(sums.Finish().Find("rel_l2")->values.size(), kMostResampled);
    }
    keeps.Add(samples[i]);
    sums.Add(samples[i]);
  }
  const Accuracy kept = keeps.Finish();
  const Accuracy summed = sums.Finish();
  for (const char* name : {"sqnr_db", "rel_l2"}) {
    const MetricValue& with = *kept.Find(name);
    const MetricValue& without = *summed.Find(name);
    EXPECT_TRUE(without.values.empty());
    EXPECT_EQ(without.mean, with.mean);
    EXPECT_EQ(without.worst, with.worst);
    EXPECT_EQ(without.worst_sample, with.worst_sample);
    // The same interval from sums as from values, but for rounding.
    const Interval expected = MeanInterval(with).value();
    const Interval interval = MeanInterval(without).value();
    EXPECT_NEAR(interval.low, expected.low, 1e-9 * std::abs(expected.low));
    EXPECT_NEAR(interval.high, expected.high, 1e-9 * std::abs(expected.high));
    EXPECT_LT(interval.low, with.mean);
    EXPECT_GT(interval.high, with.mean);
  }
}

TEST(MeanIntervalTest, ABrokenSampleAmongManyLeavesItFinite) {
  AccuracyAccumulator accumulator(kMostResampled);
  for (std::size_t i = 0; i <= kMostResampled; ++i) {
    accumulator.Add(i == 5 ? OfSqnrAndRelL2(-kExactSqnrDb, 1e10) : OfSqnrAndRelL2(50, 3e-3));
  }
  const MetricValue sqnr = *accumulator.Finish().Find("sqnr_db");
  const Interval interval = MeanInterval(sqnr).value();
  EXPECT_EQ(interval.high, kExactSqnrDb);
  EXPECT_LT(interval.low, sqnr.mean);
  EXPECT_TRUE(std::isfinite(interval.low));
}

TEST(MeanIntervalTest, ABootstrapOfManyIsNormal) {
  MetricValue value{.name = "rel_l2"};
  for (const SampleMetrics& sample : SkewedSamples(kMostResampled)) {
    value.values.push_back(*sample.values[1]);
  }
  const Interval bootstrap = MeanInterval(value).value();
  const Interval normal = NormalMeanInterval(value.values);
  // Percentiles of 1000 resamples scatter by some 4 % of the half-width (a standard error of
  // sqrt(0.025 * 0.975 / 1000) / density there, in units of the standard error of the mean); three
  // times that.
  EXPECT_NEAR(bootstrap.low, normal.low, 0.13 * normal.half_width());
  EXPECT_NEAR(bootstrap.high, normal.high, 0.13 * normal.half_width());
}

}  // namespace
}  // namespace halftone
