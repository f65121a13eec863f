#include "src/quantization/calibration_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/example_record.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleRecord;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 80 values, evenly from 0 to 4.
TensorHistogram Even() {
  TensorHistogram histogram({0, 4}, 8);
  histogram.counts.assign(8, 10);
  return histogram;
}

TEST(LossByScaleTest, EvenlySpreadValuesLoseWhatTheIntegralSays) {
  // 0 to 2.55; what lies beyond 2.555 is clipped. 20 values a unit.
  const RangeLoss loss = LossByScale(Even(), {.scale = 0.01F, .zero_point = 0});
  EXPECT_NEAR(loss.clipped_values, (4 - 2.555) / 4, 1e-6);
  const double energy = 20 * 64.0 / 3;
  const double clipped = 20 * (std::pow(1.45, 3) - std::pow(0.005, 3)) / 3;
  EXPECT_NEAR(loss.clipped_energy, clipped / energy, 1e-6);
  // Rounding to steps of 0.01 adds 1e-4 / 12 a value.
  const double rounding = 20 * 2.555 * 1e-4 / 12;
  ASSERT_TRUE(loss.sqnr_db);
  EXPECT_NEAR(*loss.sqnr_db, 10 * std::log10(energy / (clipped + rounding)), 1e-3);
}

TEST(LossByScaleTest, ClippingBelowIsThatAboveOfTheMirrorImage) {
  TensorHistogram mirrored({-4, 0}, 8);
  mirrored.counts.assign(8, 10);
  const RangeLoss above = LossByScale(Even(), {.scale = 0.01F, .zero_point = 0});
  const RangeLoss below = LossByScale(mirrored, {.scale = 0.01F, .zero_point = 255});
  EXPECT_NEAR(below.clipped_values, above.clipped_values, 1e-12);
  EXPECT_NEAR(below.clipped_energy, above.clipped_energy, 1e-12);
}

// The last number is 255 * scale; a zero point that was rounded moves it by up to half a step.
TEST(LossByScaleTest, HalfAStepBeyondTheRangeIsRoundedNotClipped) {
  TensorHistogram histogram({0, 1}, 8);
  histogram.counts.assign(8, 1);
  EXPECT_EQ(LossByScale(histogram, {.scale = 1 / 254.6F, .zero_point = 0}).clipped_values, 0);
  EXPECT_EQ(LossByScale(histogram, {.scale = 1 / 255.4F, .zero_point = 0}).clipped_values, 0);
  EXPECT_GT(LossByScale(histogram, {.scale = 1 / 256.0F, .zero_point = 0}).clipped_values, 0);
}

TEST(LossByScaleTest, ZerosAndEmptyTensorsLoseNothing) {
  TensorHistogram zeros({0, 0}, 8);
  zeros.counts[0] = 5;
  zeros.zeros = 5;
  EXPECT_EQ(LossByScale(zeros, {}), RangeLoss());
  EXPECT_EQ(LossByScale(TensorHistogram(), {}), RangeLoss());
}

TEST(LossByScaleTest, OneValueIsItself) {
  TensorHistogram histogram({3, 3}, 8);
  histogram.counts[0] = 5;
  const RangeLoss kept = LossByScale(histogram, {.scale = 1, .zero_point = 0});
  EXPECT_EQ(kept.clipped_values, 0);
  EXPECT_FALSE(kept.sqnr_db) << "3 is on the grid";
  const RangeLoss clipped = LossByScale(histogram, {.scale = 2.0F / 255, .zero_point = 0});
  EXPECT_EQ(clipped.clipped_values, 1);
  EXPECT_NEAR(clipped.clipped_energy, 1.0 / 9, 1e-6);
  ASSERT_TRUE(clipped.sqnr_db);
  EXPECT_NEAR(*clipped.sqnr_db, 10 * std::log10(9), 1e-4);
}

// Against the values themselves: 100,000 normal ones, of which 4.6 % lie beyond 2.
TEST(LossByScaleTest, HistogramsSayWhatTheValuesSay) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(100'000);
  for (float& value : values) {
    value = normal(engine);
  }
  RangeCollector range;
  range.AddSample(values);
  TensorHistogram histogram(range.observed());
  histogram.Add(values);
  const ActivationScale scale{.scale = 4.0F / 255, .zero_point = 128};
  double clipped = 0;
  double lost = 0;
  double error = 0;
  double energy = 0;
  for (const float value : values) {
    const double step = 4.0 / 255;
    const double q = std::rint(static_cast<double>(value) / step) + 128;
    const double rounded = step * (std::fmin(std::fmax(q, 0), 255) - 128);
    const double difference = static_cast<double>(value) - rounded;
    const bool is_clipped = q < 0 || q > 255;
    clipped += is_clipped ? 1 : 0;
    lost += is_clipped ? difference * difference : 0;
    error += difference * difference;
    energy += static_cast<double>(value) * static_cast<double>(value);
  }
  const RangeLoss loss = LossByScale(histogram, scale);
  // Two bins, of some 0.4 % of the values in 1 / 2048 of 9 standard deviations, are cut in two.
  EXPECT_THAT(loss.clipped_values, DoubleNear(clipped / 100'000, 5e-4));
  EXPECT_THAT(loss.clipped_energy, DoubleNear(lost / energy, 0.01 * lost / energy));
  ASSERT_TRUE(loss.sqnr_db);
  EXPECT_THAT(*loss.sqnr_db, DoubleNear(10 * std::log10(energy / error), 0.05));
}

TEST(CoarsenedTest, JoinsNeighbours) {
  TensorHistogram histogram({-1, 3}, 8);
  histogram.counts = {1, 2, 3, 4, 5, 6, 7, 8};
  histogram.zeros = 2;
  const TensorHistogram coarse = Coarsened(histogram, 4);
  EXPECT_THAT(coarse.counts, ElementsAre(3, 7, 11, 15));
  EXPECT_EQ(coarse.low, -1);
  EXPECT_EQ(coarse.high, 3);
  EXPECT_EQ(coarse.zeros, 2U);
  EXPECT_EQ(Coarsened(histogram, 16), histogram);
}

TEST(SpreadTest, OfChannels) {
  EXPECT_EQ(SpreadOf(std::vector<float>{4, 1, 2, 3}), (Spread{1, 2, 4}));
  EXPECT_EQ(SpreadOf({}), Spread());
  EXPECT_EQ((Spread{0.5, 1, 8}).ratio(), 16);
  EXPECT_EQ(Spread().ratio(), 0);
}

TEST(CalibrationRecordTest, MoversShowTheHistogramOfTheirSource) {
  const CalibrationRecord record = ExampleRecord();
  EXPECT_EQ(HistogramOf(record, record.tensors[2]), &record.tensors[1]);
  EXPECT_EQ(HistogramOf(record, record.tensors[1]), &record.tensors[1]);
  EXPECT_EQ(HistogramOf(record, record.tensors[0]), nullptr);
}

TEST(CalibrationRecordTest, TheMostClippedAreNamedOnce) {
  CalibrationRecord record = ExampleRecord();
  EXPECT_THAT(MostClipped(record, 5), ElementsAre(1));
  record.tensors[0].seen = TensorRecord::Seen{
      .method = "mse", .observed = {0, 1}, .loss = {.clipped_energy = 0.9}, .source = "x"};
  EXPECT_THAT(MostClipped(record, 5), ElementsAre(0, 1));
  EXPECT_THAT(MostClipped(record, 1), ElementsAre(0));
  EXPECT_THAT(WidestWeights(record, 5), ElementsAre(0)) << "all channels of the other are equal";
}

TEST(CalibrationRecordTest, APlanThatWasCorrectedItselfHasItsOwnShifts) {
  Quantization quantization;
  quantization.bias_shifts["conv1"] = {-0.5F, 0.25F, 0};
  const CalibrationRecord record = WithShifts(ExampleRecord(), quantization);
  EXPECT_EQ(record.weights[0].bias_shifts, (Spread{0, 0.25, 0.5}));
  EXPECT_FALSE(record.weights[1].bias_shifts);
}

TEST(CalibrationRecordTest, BoundsKeepTheWorst) {
  CalibrationRecord record = ExampleRecord();
  record.tensors[2].seen->source = "pool:0";
  record.tensors[2].seen->loss.sqnr_db = 60;
  record.tensors[2].histogram = record.tensors[1].histogram;
  record.weights[1].places = {{-1, 1, 0.01}};
  EXPECT_EQ(Bounded(record, 2, 2), record);
  const CalibrationRecord bounded = Bounded(record, 1, 1);
  EXPECT_EQ(bounded.histograms_left_out, 1);
  EXPECT_EQ(bounded.pictures_left_out, 1);
  EXPECT_EQ(bounded.tensors[1], record.tensors[1]);
  EXPECT_THAT(bounded.tensors[2].histogram.counts, IsEmpty());
  EXPECT_TRUE(bounded.tensors[2].seen);
  EXPECT_EQ(bounded.weights[0], record.weights[0]);
  EXPECT_THAT(bounded.weights[1].places, IsEmpty());
  EXPECT_EQ(Bounded(record, 0, 0).histograms_left_out, 2);
}

}  // namespace
}  // namespace halftone
