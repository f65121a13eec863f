// Against a transcription: calibration_golden_test.cc; mse against the best clip:
// range_error_test.cc.
#include "src/quantization/least_error_range.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/quantization/range_error.h"
#include "tests/quantization/drawn_tensors.h"

namespace halftone {
namespace {

using testing::Drawn;
using testing::StatisticsOf;

// A thousand values of 1e9 lie beyond the order statistic, and hardly any others have an error.
TEST(LeastErrorRangeTest, IfmrAlsoLooksBeyondItsOrderStatistic) {
  TensorHistogram histogram({0, 2}, 2000);
  std::fill_n(histogram.counts.begin(), 1000, 2);
  histogram.counts[1249] = 990;
  histogram.counts.back() = 1;
  histogram.zeros = 1000000000;
  histogram.counts[0] += histogram.zeros;
  const ValueRange range = IfmrRange(histogram, false);
  EXPECT_GE(range.high, 1.24);
  EXPECT_LE(range.high, 1.3);
}

TEST(LeastErrorRangeTest, SymmetricRangesAreSymmetric) {
  const std::vector<float> values =
      Drawn(20000, 4, [](Rng& rng) { return std::exp(rng.Normal()) - 1; });
  const TensorHistogram histogram = StatisticsOf(values).histogram;
  for (const auto method : {LeastSquaresRange, IfmrRange}) {
    const ValueRange range = method(histogram, true);
    EXPECT_EQ(range.low, -range.high);
    EXPECT_GT(range.high, 1);
  }
  const ValueRange sqnr = SqnrRange(histogram, true);
  EXPECT_DOUBLE_EQ(sqnr.low * 127, -sqnr.high * 128);
}

// A constant bias or a tensor without negative values: one end is 0.
TEST(LeastErrorRangeTest, OneSidedTensorsStartAtZero) {
  const std::vector<float> values =
      Drawn(20000, 4, [](Rng& rng) { return 3 + std::abs(rng.Normal()); });
  const TensorHistogram histogram = StatisticsOf(values).histogram;
  for (const auto method : {LeastSquaresRange, IfmrRange, SqnrRange}) {
    const ValueRange range = method(histogram, false);
    EXPECT_EQ(range.low, 0);
    EXPECT_GT(range.high, 4);
  }
}

}  // namespace
}  // namespace halftone
