// Ranges of 50 histograms by each method, against the slow transcription of
// scripts/quantization_golden.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/base/rng.h"
#include "src/quantization/calibration_method.h"
#include "src/quantization/least_error_range.h"
#include "src/quantization/range_error.h"
#include "tests/support/golden_rows.h"

namespace halftone {
namespace {

using testing::GoldenRow;
using testing::GoldenRows;

// The values of draw() there: whole multiples of 2^-16.
std::vector<float> Draw(const std::string& kind, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(20000);
  for (float& value : values) {
    std::int64_t normal = -12 * 32768;
    for (int word = 0; word < 3; ++word) {
      const std::uint64_t bits = rng.Next();
      for (int part = 0; part < 4; ++part) {
        normal += static_cast<std::int64_t>(bits >> (16 * part) & 0xffff);
      }
    }
    const std::uint64_t last = rng.Next();
    const std::int64_t exponential = std::min<std::int64_t>(std::countl_zero(last), 32) * 65536 +
                                     65535 - static_cast<std::int64_t>(last & 0xffff);
    const std::int64_t integer = kind == "normal"     ? normal
                                 : kind == "laplace"  ? (normal < 0 ? -exponential : exponential)
                                 : kind == "relu"     ? std::max<std::int64_t>(normal, 0)
                                 : kind == "outlier"  ? (last % 997 == 0 ? normal * 12 : normal)
                                 : kind == "positive" ? normal + 10 * 65536
                                                      : -exponential;
    value = static_cast<float>(static_cast<double>(integer) / 65536);
  }
  return values;
}

TensorStatistics StatisticsOf(const std::vector<float>& values, std::size_t bins) {
  RangeCollector collector;
  collector.AddSample(values);
  TensorHistogram histogram(collector.observed(), bins);
  histogram.Add(values);
  return {collector.observed(), collector.mean_of_samples(), histogram};
}

// Both sides round alike where windows are compared, so a range is the same but for the rounding of
// its ends, or at least a bin away.
void ExpectRange(GoldenRow& row, ValueRange found, double width, std::string_view method) {
  const double low = row.Real();
  const double high = row.Real();
  EXPECT_NEAR(found.low, low, 1e-6 * width) << method;
  EXPECT_NEAR(found.high, high, 1e-6 * width) << method;
}

TEST(CalibrationGoldenTest, RangesOf50Histograms) {
  std::vector<GoldenRow> rows = GoldenRows("ranges.txt");
  ASSERT_EQ(rows.size(), 50U);
  for (GoldenRow& row : rows) {
    const std::string kind = row.Word();
    const auto seed = static_cast<std::uint64_t>(row.Integer());
    const std::vector<float> values = Draw(kind, seed);
    const TensorStatistics statistics =
        StatisticsOf(values, static_cast<std::size_t>(row.Integer()));
    const TensorHistogram& histogram = statistics.histogram;
    SCOPED_TRACE(::testing::Message()
                 << kind << ", seed " << seed << ", " << histogram.counts.size() << " bins");
    ASSERT_EQ(statistics.observed.low, row.Real());
    ASSERT_EQ(statistics.observed.high, row.Real());
    std::uint64_t checksum = 0;
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
      checksum += histogram.counts[bin] * (bin + 1);
    }
    ASSERT_EQ(static_cast<std::int64_t>(checksum), row.Integer());

    // All pairs of edges of 96 bins were tried there.
    const TensorStatistics coarse = StatisticsOf(values, 96);
    const double least = row.Real();
    const double found =
        ErrorOnGrid(coarse.histogram, AsymmetricGrid(LeastSquaresRange(coarse.histogram, false)))
            .total();
    EXPECT_LE(10 * std::log10(found / least), 0.1);
    EXPECT_GE(found, least * 0.98);

    for (const char* const method : {"percentile:99.9", "sqnr", "ifmr", "kl", "kl2"}) {
      ExpectRange(row, ParseCalibrationMethod(method).Range(statistics), histogram.width(), method);
    }
    for (const char* const method : {"kl", "kl2"}) {
      CalibrationChoice choice = ParseCalibrationMethod(method);
      choice.settings.symmetric = true;
      ExpectRange(row, choice.Range(statistics), histogram.width(), method);
    }
    for (const char* const method : {"ort_entropy", "trt_entropy"}) {
      ExpectRange(row, ParseCalibrationMethod(method).Range(statistics), histogram.width(), method);
    }
    EXPECT_TRUE(row.AtEnd());
  }
}

}  // namespace
}  // namespace halftone
