#include "src/quantization/range_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "src/quantization/least_error_range.h"
#include "src/quantization/schemes.h"
#include "tests/quantization/drawn_tensors.h"

namespace halftone {
namespace {

using testing::DrawLaplace;
using testing::Drawn;
using testing::StatisticsOf;

// Upper tails of the distributions with variance 1.
double NormalTail(double x) {
  return std::erfc(x / std::numbers::sqrt2) / 2;
}

double LaplaceTail(double x) {
  return x < 0 ? 1 - LaplaceTail(-x) : std::exp(-std::numbers::sqrt2 * x) / 2;
}

// The histogram of 1e15 values that lie as the distribution says, up to 24 standard deviations.
TensorHistogram Ideal(double (*tail)(double), double magnitude, std::size_t bins) {
  TensorHistogram histogram({-magnitude, magnitude}, bins);
  for (std::size_t bin = 0; bin < bins / 2; ++bin) {
    const std::size_t upper = bins / 2 + bin;
    const double share = tail(histogram.edge(upper)) - tail(histogram.edge(upper + 1));
    histogram.counts[upper] = static_cast<std::uint64_t>(1e15 * share);
    histogram.counts[bins / 2 - 1 - bin] = histogram.counts[upper];
  }
  return histogram;
}

double SqnrDb(double error) {
  return -10 * std::log10(error);
}

struct Row {
  double clip;  // in standard deviations
  double normal_db, laplace_db;
};

// Derived for 8 symmetric bits by numeric integration; rounded to 0.1 dB.
constexpr Row kClips[] = {{3, 33.4, 18.4},  {3.5, 39.3, 21.5}, {4, 40.5, 24.5}, {4.5, 39.8, 27.4},
                          {5, 38.9, 30.1},  {6, 37.3, 34.1},   {7, 36.0, 35.2}, {8, 34.8, 34.7},
                          {10, 32.9, 32.9}, {15, 29.4, 29.4}};

TEST(RangeErrorTest, SqnrOfClippedDistributions) {
  const TensorHistogram normal = Ideal(NormalTail, 24, 1 << 14);
  const TensorHistogram laplace = Ideal(LaplaceTail, 24, 1 << 14);
  for (const Row& row : kClips) {
    const QuantizationGrid grid = SymmetricGrid(row.clip);
    EXPECT_NEAR(SqnrDb(ErrorOnGrid(normal, grid).total()), row.normal_db, 0.1) << row.clip;
    EXPECT_NEAR(SqnrDb(ErrorOnGrid(laplace, grid).total()), row.laplace_db, 0.1) << row.clip;
  }
}

TEST(RangeErrorTest, MseFindsTheBestClip) {
  // Ends where one of 1e6 values lies, and far beyond.
  for (const double end : {4.9, 10.0, 24.0}) {
    const TensorHistogram histogram = Ideal(NormalTail, end, kHistogramBins);
    const ValueRange range = LeastSquaresRange(histogram, true);
    EXPECT_GE(SqnrDb(ErrorOnGrid(histogram, SymmetricGrid(range.high)).total()), 40.5 - 0.1) << end;
    EXPECT_NEAR(range.high, 4, 0.25) << end;
  }
  for (const double end : {9.5, 24.0}) {
    const TensorHistogram histogram = Ideal(LaplaceTail, end, kHistogramBins);
    const ValueRange range = LeastSquaresRange(histogram, true);
    EXPECT_GE(SqnrDb(ErrorOnGrid(histogram, SymmetricGrid(range.high)).total()), 35.2 - 0.1) << end;
  }
}

// The closed form against the mean over 4000 values evenly in each bin. Of the midpoint rule's
// error, the square of half of 1/4000 of a bin, is far below the bound.
TEST(RangeErrorTest, ClosedFormIsTheMeanOverEvenlySpreadValues) {
  Rng rng(5);
  for (int round = 0; round < 40; ++round) {
    const double low = -rng.Uniform(0, 3);
    TensorHistogram histogram({low, low + rng.Uniform(0.1, 6)}, 7);
    for (std::uint64_t& count : histogram.counts) {
      count = rng.Below(4) == 0 ? 0 : rng.Below(100);
    }
    histogram.counts[3] += 1;
    const double step = std::exp2(rng.Uniform(-6, 2));
    const auto first = -static_cast<std::int64_t>(rng.Below(8));
    const QuantizationGrid grid{step, first, first + 7};
    double rounding = 0, clipping = 0;
    constexpr int kPoints = 4000;
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
      for (int i = 0; i < kPoints; ++i) {
        const double x = histogram.edge(bin) + histogram.width() * (i + 0.5) / kPoints;
        const double q = std::clamp(std::rint(x / step), static_cast<double>(grid.first),
                                    static_cast<double>(grid.last));
        const bool inside = x >= step * static_cast<double>(grid.first) &&
                            x <= step * static_cast<double>(grid.last);
        (inside ? rounding : clipping) +=
            static_cast<double>(histogram.counts[bin]) * (x - q * step) * (x - q * step) / kPoints;
      }
    }
    const auto total = static_cast<double>(histogram.total());
    const RangeError found = ErrorOnGrid(histogram, grid);
    const double bound = 1e-3 * step * step + 1e-5 * (found.total());
    EXPECT_NEAR(found.rounding, rounding / total, bound);
    EXPECT_NEAR(found.clipping, clipping / total, bound);
  }
}

// Predicted from the histogram and measured on the values: 0.05 dB apart at most where a bin is an
// eighth of a step (the density in a bin is nearly even).
TEST(RangeErrorTest, PredictsTheErrorOfQuantisedValues) {
  const std::vector<float> normal = Drawn(100000, 1, [](Rng& rng) { return rng.Normal(); });
  const std::vector<float> laplace = Drawn(100000, 2, DrawLaplace);
  const std::vector<float> relu =
      Drawn(100000, 3, [](Rng& rng) { return std::max(rng.Normal(), 0.0); });
  for (const auto* values : {&normal, &laplace, &relu}) {
    const TensorStatistics statistics = StatisticsOf(*values);
    for (const double share : {1.0, 0.8, 0.5}) {
      const ActivationScale scale =
          ActivationScaleOf({statistics.observed.low * share, statistics.observed.high * share});
      double error = 0;
      for (const float x : *values) {
        const double q = std::clamp(
            std::rint(x / static_cast<double>(scale.scale)) + scale.zero_point, 0.0, 255.0);
        const double y = static_cast<double>(scale.scale) * (q - scale.zero_point);
        error += (x - y) * (x - y) / static_cast<double>(values->size());
      }
      const double predicted = ErrorOnGrid(statistics.histogram, GridOf(scale)).total();
      EXPECT_NEAR(SqnrDb(predicted), SqnrDb(error), 0.05) << share;
    }
  }
}

TEST(RangeErrorTest, ZerosHaveNoErrorAndASingleValueIsExact) {
  TensorHistogram zeros({0, 1}, 4);
  zeros.Add(std::vector<float>{0, 0, 0});
  EXPECT_EQ(ErrorOnGrid(zeros, AsymmetricGrid({0, 255})).total(), 0);
  TensorHistogram single({2.25, 2.25});
  single.Add(std::vector<float>{2.25F});
  EXPECT_DOUBLE_EQ(ErrorOnGrid(single, {1, 0, 255}).rounding, 0.0625);
  EXPECT_DOUBLE_EQ(ErrorOnGrid(single, {1, 0, 1}).clipping, 1.5625);
  EXPECT_EQ(ErrorOnGrid(TensorHistogram({0, 1}), {1, 0, 1}).total(), 0);
}

}  // namespace
}  // namespace halftone
