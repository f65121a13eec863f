#include "src/quantization/weight_scales.h"

#include <gtest/gtest.h>

#include <limits>

#include "src/base/error.h"

namespace halftone {
namespace {

// Two result channels of three values.
constexpr ChannelLayout kRows{.channels = 2, .inner = 3};
// Columns of a product with constant weights of shape {3, 2}.
constexpr ChannelLayout kColumns{.channels = 2, .inner = 1};

TEST(WeightScalesTest, LargestMagnitudePerChannelOrTensor) {
  const std::vector<float> weights = {1, -2.54F, 2, 12.7F, 0, -1};
  EXPECT_EQ(SymmetricWeightScales(weights, kRows).scales,
            (std::vector<float>{2.54F / 127, 12.7F / 127}));
  EXPECT_EQ(SymmetricWeightScales(weights, kColumns).scales,
            (std::vector<float>{2.0F / 127, 12.7F / 127}));
  EXPECT_EQ(SymmetricWeightScales(weights, {}).scales, (std::vector<float>{12.7F / 127}));
  EXPECT_TRUE(SymmetricWeightScales(weights, kRows).zero_points.empty());
}

TEST(WeightScalesTest, ChannelOfZerosHasScale1) {
  const std::vector<float> weights = {0, 0, -0.0F, 1e-40F, -1e-40F, 0};
  EXPECT_EQ(SymmetricWeightScales(weights, kRows).scales, (std::vector<float>{1, 1}));
  EXPECT_EQ(ArqWeightScales(weights, kRows).scales, (std::vector<float>{1, 1}));
}

TEST(WeightScalesTest, ArqUsesTheNumberMoreBelowZero) {
  EXPECT_EQ(ArqWeightScales(std::vector<float>{1, -2, 0.5F, 2, -1, 0}, kRows).scales,
            (std::vector<float>{2.0F / 128, 2.0F / 127}));
  EXPECT_EQ(ArqWeightScales(std::vector<float>{1, -1}, {}).scales,
            (std::vector<float>{1.0F / 128}));
}

TEST(WeightScalesTest, GlowSchemasOfConstants) {
  const std::vector<float> weights = {-128, 0, 63.5F, 0, 255, 51};
  const WeightScales tensor = GlowWeightScales(weights, {}, QuantizationSchema::kAsymmetric);
  EXPECT_EQ(tensor.scales, (std::vector<float>{383.0F / 255}));
  EXPECT_EQ(tensor.zero_points, (std::vector<std::int32_t>{-43}));
  const WeightScales channels = GlowWeightScales(weights, kRows, QuantizationSchema::kAsymmetric);
  EXPECT_EQ(channels.scales, (std::vector<float>{1, 255.0F / 127}));
  EXPECT_TRUE(channels.zero_points.empty());
  const WeightScales positive =
      GlowWeightScales(weights, kRows, QuantizationSchema::kSymmetricWithUint8);
  EXPECT_EQ(positive.scales, (std::vector<float>{1, 1}));
  EXPECT_EQ(positive.zero_points, (std::vector<std::int32_t>{0, -128}));
}

TEST(WeightScalesTest, WeightsThatAreNotFinite) {
  const std::vector<float> weights = {1, std::numeric_limits<float>::infinity()};
  try {
    SymmetricWeightScales(weights, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_STREQ(error.what(),
                 "weights to quantise: expected finite values, found inf at element 1; keep the "
                 "operator in float32");
  }
}

}  // namespace
}  // namespace halftone
