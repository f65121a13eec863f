// Scales: schemes_golden_test.cc.
#include "src/quantization/glow_scheme.h"

#include <gtest/gtest.h>

#include <numeric>

#include "src/base/error.h"
#include "src/quantization/rescale_histogram.h"
#include "tests/quantization/drawn_tensors.h"

namespace halftone {
namespace {

using testing::Drawn;
using testing::StatisticsOf;

constexpr auto kAsymmetric = QuantizationSchema::kAsymmetric;
constexpr auto kSymmetric = QuantizationSchema::kSymmetric;

TEST(GlowSchemeTest, NamesOfSchemas) {
  for (const auto& row : kQuantizationSchemas) {
    EXPECT_EQ(ParseQuantizationSchema(row.name), row.value);
  }
  try {
    ParseQuantizationSchema("symetric");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown quantization schema 'symetric': expected one of asymmetric, symmetric, "
                 "symmetric_with_uint8, symmetric_with_power2_scale");
  }
}

TEST(GlowSchemeTest, RangesWithoutExtentAndOtherTypes) {
  EXPECT_EQ(GlowScale(0, 0, kAsymmetric, DType::kInt8), (ScaleAndZero{0.1F, 0}));
  EXPECT_THROW(GlowScale(1, 0, kAsymmetric, DType::kInt8), Error);
  EXPECT_THROW(GlowScale(0, 1, kAsymmetric, DType::kInt64), Error);
}

GlowHistogram ProfileOf(const std::vector<float>& values, std::size_t bins) {
  const TensorHistogram histogram = StatisticsOf(values, 1, bins).histogram;
  return {static_cast<float>(histogram.low),
          static_cast<float>(histogram.high),
          {histogram.counts.begin(), histogram.counts.end()}};
}

std::vector<float> WithOutlier() {
  std::vector<float> values = Drawn(100000, 1, [](Rng& rng) { return rng.Normal(); });
  values[5] = 40;
  return values;
}

TEST(GlowSchemeTest, KlNarrowsTheRange) {
  const GlowHistogram profile = ProfileOf(WithOutlier(), 2048);
  const auto all = GlowScale(profile.min, profile.max, kAsymmetric, DType::kInt8);
  const auto narrowed = GlowScale(profile.min, profile.max, kAsymmetric, DType::kInt8, &profile);
  EXPECT_LT(narrowed.scale, all.scale / 2);
  const auto symmetric = GlowScale(profile.min, profile.max, kSymmetric, DType::kInt8, &profile);
  EXPECT_LT(symmetric.scale, all.scale);
  EXPECT_EQ(symmetric.zero_point, 0);
}

// An unsigned symmetric range starts at 0, so that there is no ratio of its ends to keep.
TEST(GlowSchemeTest, KlLeavesUnsignedSymmetricRanges) {
  const GlowHistogram profile = ProfileOf(WithOutlier(), 2048);
  EXPECT_EQ(GlowScale(profile.min, profile.max, kSymmetric, DType::kUInt8, &profile),
            GlowScale(profile.min, profile.max, kSymmetric, DType::kUInt8));
}

TEST(GlowSchemeTest, ProfilesAreStatistics) {
  const TensorStatistics found = StatisticsOfProfile({-1, 2, {0, 3, 1.0e10F}});
  EXPECT_EQ(found.observed, (ValueRange{-1, 2}));
  EXPECT_EQ(found.mean_of_samples, (ValueRange{-1, 2}));
  EXPECT_EQ(found.histogram.counts, (std::vector<std::uint64_t>{0, 3, 10000000000}));
  EXPECT_EQ(found.histogram.high, 2);
}

TEST(GlowSchemeTest, KlWithFewerThan255BinsDoesNothing) {
  const GlowHistogram profile = ProfileOf(WithOutlier(), 254);
  EXPECT_EQ(GlowScale(profile.min, profile.max, kAsymmetric, DType::kInt8, &profile),
            GlowScale(profile.min, profile.max, kAsymmetric, DType::kInt8));
}

// Glow's own range would lie beside 0 there, and 0 would have no number.
TEST(GlowSchemeTest, ZeroIsAddedAgainAfterKl) {
  std::vector<float> values = Drawn(100000, 2, [](Rng& rng) { return 20 + rng.Normal(); });
  values[0] = -1;
  const GlowHistogram profile = ProfileOf(values, 2048);
  const auto [scale, offset] =
      GlowScale(profile.min, profile.max, kAsymmetric, DType::kInt8, &profile);
  EXPECT_EQ(offset, -128);
  EXPECT_NEAR(scale * 255, profile.max, 2);
}

TEST(GlowSchemeTest, BiasHasTheScaleOfTheSumsUnlessItIsTooSmall) {
  const GlowBiasScales fits = GlowBiasScalesOf(1e-9F, 0.5F, 0.25F);
  EXPECT_EQ(fits.bias, 0.125F);
  EXPECT_EQ(fits.weights, 0.25F);
  const GlowBiasScales large = GlowBiasScalesOf(0.5F, 0.25F, 0.25F);
  EXPECT_EQ(large.bias, 0.5F);
  EXPECT_EQ(large.weights, 2);
}

TEST(RescaledHistogramTest, SameRangeIsTheSame) {
  const std::vector<double> counts = {1, 2, 3};
  EXPECT_EQ(RescaledHistogram<double>(counts, 0, 3, 0, 3), counts);
}

TEST(RescaledHistogramTest, WiderRangeKeepsCountsAndNarrowerCrops) {
  const std::vector<double> counts = {10, 20, 30, 40};
  EXPECT_EQ(RescaledHistogram<double>(counts, 0, 4, -4, 4), (std::vector<double>{0, 0, 30, 70}));
  EXPECT_EQ(RescaledHistogram<double>(counts, 0, 4, 0, 2), (std::vector<double>{5, 5, 10, 10}));
  EXPECT_THROW(RescaledHistogram<double>(counts, 0, 0, 0, 2), Error);
}

TEST(RescaledHistogramTest, CountsAreWholeAndNeverGrow) {
  Rng rng(8);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> counts(1 + rng.Below(300));
    for (float& count : counts) {
      count = static_cast<float>(rng.Below(1000));
    }
    const auto low = static_cast<float>(rng.Uniform(-2, 2));
    const float high = low + static_cast<float>(rng.Uniform(0.01, 4));
    const auto new_low = static_cast<float>(rng.Uniform(-4, 2));
    const float new_high = new_low + static_cast<float>(rng.Uniform(0.01, 9));
    const std::vector<float> result =
        RescaledHistogram<float>(counts, low, high, new_low, new_high);
    ASSERT_EQ(result.size(), counts.size());
    for (const float count : result) {
      ASSERT_TRUE(count >= 0 && count == std::round(count));
    }
    const double before = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double after = std::accumulate(result.begin(), result.end(), 0.0);
    ASSERT_LE(after, before);
    if (new_low <= low && new_high >= high) {
      // Each source bin loses less than half a count to each of the bins that it overlaps.
      const double overlapped = 2 + (high - low) / (new_high - new_low);
      ASSERT_GE(after, before - static_cast<double>(counts.size()) * overlapped / 2);
    }
  }
}

}  // namespace
}  // namespace halftone
