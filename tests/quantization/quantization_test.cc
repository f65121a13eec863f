#include "src/quantization/quantization.h"

#include <gtest/gtest.h>

#include <set>

namespace halftone {
namespace {

TEST(QuantizationTest, RangeIsWhatTheEndsStandFor) {
  const ActivationScale scale{.scale = 0.5F, .zero_point = 10};
  EXPECT_EQ(scale.range(), (ValueRange{-5, 122.5}));
}

TEST(QuantizationTest, EveryPartChangesTheDigest) {
  std::set<Hash128> digests;
  Quantization quantization;
  const auto add = [&] { EXPECT_TRUE(digests.insert(quantization.Digest()).second); };
  add();
  quantization.activations["a"] = {.scale = 1, .zero_point = 2};
  add();
  quantization.activations["a"].scale = 2;
  add();
  quantization.activations["a"].zero_point = 3;
  add();
  quantization.weights["w"] = {.scales = {1, 2}, .zero_points = {}};
  add();
  quantization.weights["w"].zero_points = {1, 0};
  add();
  quantization.per_channel_weights = false;
  add();
  quantization.bias_shifts["conv"] = {0.5F};
  add();
  quantization.bias_shifts["conv"] = {-0.5F};
  add();
  quantization.channel_factors["a"] = {.axis = 1, .factors = {1, 1}};
  add();
  quantization.channel_factors["a"].axis = 0;
  add();
  quantization.channel_factors["a"].factors[1] = 2;
  add();
  const Quantization copy = quantization;
  EXPECT_EQ(copy.Digest(), quantization.Digest());
}

}  // namespace
}  // namespace halftone
