#include "src/quantization/calibration_method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/quantization/schemes.h"
#include "tests/quantization/drawn_tensors.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using testing::DrawLaplace;
using testing::Drawn;
using testing::StatisticsOf;

std::string MessageOf(std::string_view text) {
  try {
    ParseCalibrationMethod(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "(no error)";
}

TEST(CalibrationMethodTest, EveryNameIsItsOwnText) {
  for (const CalibrationMethod& method : AllCalibrationMethods()) {
    const CalibrationChoice choice = ParseCalibrationMethod(method.name);
    EXPECT_EQ(choice.method, &method);
    EXPECT_EQ(ParseCalibrationMethod(choice.text()).text(), choice.text());
  }
  EXPECT_EQ(ParseCalibrationMethod("percentile").text(), "percentile:99.99");
  EXPECT_EQ(ParseCalibrationMethod("percentile:99.9990").text(), "percentile:99.999");
}

TEST(CalibrationMethodTest, Messages) {
  EXPECT_EQ(MessageOf("entropy"),
            "unknown calibration method 'entropy': expected one of auto, minmax, mean_minmax, "
            "percentile, mse, sqnr, kl, kl2, ifmr, ort_entropy, trt_entropy");
  EXPECT_EQ(MessageOf("mse:3"),
            "calibration method 'mse': expected no setting, found '3'; only percentile has one");
  for (const std::string word : {"", "50", "100.1", "99.9%", "nan", "x"}) {
    EXPECT_EQ(MessageOf("percentile:" + word),
              "calibration method 'percentile': expected a number above 50 and at most 100, found "
              "'" +
                  word + "'; write percentile:99.99");
  }
}

TEST(CalibrationMethodTest, EveryMethodHasARowInTheDocument) {
  const std::string text = ReadFile(testing::SourceDir() / "docs/guide/int8.md");
  for (const CalibrationMethod& method : AllCalibrationMethods()) {
    EXPECT_NE(text.find("\n| `" + std::string(method.name)), std::string::npos) << method.name;
  }
  for (const CalibrationChoice& choice : AutoCalibrationMethods()) {
    EXPECT_NE(text.find(choice.text()), std::string::npos) << choice.text();
  }
}

TEST(CalibrationMethodTest, AutoNamesFiveCandidates) {
  std::vector<std::string> texts;
  for (const CalibrationChoice& choice : CalibrationCandidates("auto")) {
    texts.push_back(choice.text());
  }
  EXPECT_THAT(texts, ::testing::ElementsAre("minmax", "mean_minmax", "percentile:99.99",
                                            "percentile:99.999", "mse"));
  EXPECT_EQ(CalibrationCandidates("kl2").size(), 1U);
  EXPECT_THROW(CalibrationCandidates("automatic"), Error);
}

TEST(CalibrationMethodTest, PercentileLeavesOutTheTails) {
  // A hundred values, one a bin.
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i) - 50;
  }
  TensorStatistics statistics{{-50, 50}, {}, TensorHistogram({-50, 50}, 100)};
  statistics.histogram.Add(values);
  const auto range = [&](std::string_view text) {
    return ParseCalibrationMethod(text).Range(statistics);
  };
  EXPECT_EQ(range("percentile:100"), (ValueRange{-50, 50}));
  EXPECT_EQ(range("percentile:75"), (ValueRange{-26, 24}));
  // Nearly all values in one bin: that bin, with 0.
  TensorStatistics spike{{1, 5}, {}, TensorHistogram({1, 5}, 4)};
  spike.histogram.counts = {1000, 0, 0, 1};
  EXPECT_EQ(ParseCalibrationMethod("percentile:99").Range(spike), (ValueRange{0, 2}));
}

TEST(CalibrationMethodTest, NoValuesGiveAnEmptyRange) {
  for (const CalibrationMethod& method : AllCalibrationMethods()) {
    for (const bool symmetric : {false, true}) {
      const CalibrationSettings settings{.symmetric = symmetric};
      EXPECT_EQ(method.range({}, settings), ValueRange{}) << method.name;
      EXPECT_EQ(method.range(StatisticsOf(std::vector<float>{0, 0}), settings), ValueRange{})
          << method.name;
    }
  }
}

// Histograms that no network has: empty stretches, spikes, a single value, the ends of float32.
TensorStatistics RandomStatistics(Rng& rng) {
  static constexpr std::size_t kBins[] = {1, 2, 3, 100, 127, 128, 254, 255, 256, 300, 512};
  constexpr double kLargest = std::numeric_limits<float>::max();
  static constexpr double kMagnitudes[] = {kLargest, 1, 1e-3, 1e-38, 1e4};
  const double magnitude = kMagnitudes[rng.Below(std::size(kMagnitudes))];
  double low = static_cast<float>(rng.Uniform(-1, 1) * magnitude);
  double high = static_cast<float>(rng.Uniform(-1, 1) * magnitude);
  switch (rng.Below(8)) {
    case 0:
      high = low;
      break;
    case 1:
      low = 0;
      break;
    case 2:
      high = 0;
      break;
    default:
      break;
  }
  const ValueRange observed{std::min(low, high), std::max(low, high)};
  TensorStatistics statistics{observed, {observed.low / 2, observed.high / 2}, {}};
  statistics.histogram = TensorHistogram(observed, kBins[rng.Below(std::size(kBins))]);
  const std::size_t kind = rng.Below(4);
  for (std::uint64_t& count : statistics.histogram.counts) {
    count = kind == 0   ? 0
            : kind == 1 ? rng.Below(3)
            : kind == 2 ? (rng.Below(20) == 0 ? rng.Below(1000000) : 0)
                        : rng.Below(1000);
  }
  if (observed.low <= 0 && observed.high >= 0) {
    const std::uint64_t count = statistics.histogram.counts[statistics.histogram.bin_of(0)];
    statistics.histogram.zeros = count == 0 ? 0 : rng.Below(count);
  }
  return statistics;
}

TEST(CalibrationMethodTest, RangesLieWithinWhatWasObserved) {
  Rng rng(6);
  for (int round = 0; round < 400; ++round) {
    const TensorStatistics statistics = RandomStatistics(rng);
    const ValueRange observed = WithZero(statistics.observed);
    const double magnitude = std::max(observed.high, -observed.low);
    for (const CalibrationMethod& method : AllCalibrationMethods()) {
      const ValueRange range = method.range(statistics, {});
      SCOPED_TRACE(::testing::Message()
                   << method.name << ", round " << round << ": " << observed.low << " to "
                   << observed.high << ", " << statistics.histogram.counts.size() << " bins");
      ASSERT_TRUE(range.low >= observed.low && range.low <= 0) << range.low;
      ASSERT_TRUE(range.high <= observed.high && range.high >= 0) << range.high;
      const ValueRange symmetric = method.range(statistics, {.symmetric = true});
      // Ends of symmetric ranges are computed in float32 by kl.
      const double limit = magnitude * 129 / 127;
      ASSERT_TRUE(symmetric.low >= -limit && symmetric.low <= 0) << symmetric.low;
      ASSERT_TRUE(symmetric.high <= limit && symmetric.high >= 0) << symmetric.high;
      const ActivationScale scale = ActivationScaleOf(range);
      ASSERT_TRUE(scale.scale > 0 && std::isfinite(scale.scale));
    }
  }
}

// --- how much accuracy each method has ---------------------------------------------------------

constexpr std::size_t kValues = 200000;
constexpr std::size_t kSamples = 64;

// A tensor of 64 samples, by name.
std::map<std::string, std::vector<float>> Tensors() {
  return {
      {"normal", Drawn(kValues, 3, [](Rng& rng) { return rng.Normal(); })},
      {"laplace", Drawn(kValues, 3, DrawLaplace)},
      {"relu", Drawn(kValues, 3, [](Rng& rng) { return std::max(rng.Normal(), 0.0); })},
      {"outliers", Drawn(kValues, 3,
                         [](Rng& rng) {
                           const double value = rng.Normal();
                           return rng.Below(10000) == 0 ? 10 * value : value;
                         })},
  };
}

double SqnrDb(const std::vector<float>& values, const ActivationScale& scale) {
  double signal = 0, noise = 0;
  const auto step = static_cast<double>(scale.scale);
  for (const float x : values) {
    const double q = std::clamp(std::rint(x / step) + scale.zero_point, 0.0, 255.0);
    const double error = x - step * (q - scale.zero_point);
    signal += static_cast<double>(x) * x;
    noise += error * error;
  }
  return 10 * std::log10(signal / noise);
}

// Where a method loses more than 1 dB to minmax, and why. Squared error is not what these minimise.
struct Exception {
  std::string_view method, tensor, why;
};

constexpr Exception kExceptions[] = {
    {"mean_minmax", "relu", "values beyond the mean of the maxima of 3125 values are clipped"},
    {"mean_minmax", "outliers", "half of the outliers are clipped, by as much as they are large"},
    {"percentile", "relu", "0.01 % of the values are clipped where all error is in rounding"},
    {"percentile", "outliers", "each outlier weighs as much as a thousand values' rounding"},
    {"kl", "relu", "half of the values are in one bin, whose share the divergence follows"},
    {"kl", "outliers", "the divergence counts outliers, whatever their size"},
    {"kl2", "relu", "as kl"},
    {"kl2", "outliers", "as kl"},
    {"ort_entropy", "relu", "as kl"},
    {"ort_entropy", "outliers", "as kl"},
    {"trt_entropy", "outliers", "as kl"},
};

TEST(CalibrationMethodTest, NoOtherMethodLosesADecibelToMinMax) {
  std::size_t exceptions = 0;
  for (const auto& [name, values] : Tensors()) {
    const TensorStatistics statistics = StatisticsOf(values, kSamples);
    const double minmax =
        SqnrDb(values, ActivationScaleOf(ParseCalibrationMethod("minmax").Range(statistics)));
    for (const CalibrationMethod& method : AllCalibrationMethods()) {
      const double found = SqnrDb(values, ActivationScaleOf(method.range(statistics, {})));
      const auto* exception =
          std::find_if(std::begin(kExceptions), std::end(kExceptions),
                       [&, tensor = std::string_view(name)](const Exception& row) {
                         return row.method == method.name && row.tensor == tensor;
                       });
      if (exception == std::end(kExceptions)) {
        EXPECT_GE(found, minmax - 1) << method.name << " on " << name;
      } else {
        EXPECT_LT(found, minmax - 1) << method.name << " on " << name << ": no exception any more";
        ++exceptions;
      }
    }
    // Those that minimise squared error gain on all.
    for (const std::string_view method : {"mse", "ifmr"}) {
      EXPECT_GE(SqnrDb(values, ActivationScaleOf(ParseCalibrationMethod(method).Range(statistics))),
                minmax + 0.3)
          << method << " on " << name;
    }
  }
  EXPECT_EQ(exceptions, std::size(kExceptions));
}

}  // namespace
}  // namespace halftone
