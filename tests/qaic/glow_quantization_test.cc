#include "src/qaic/glow_quantization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/error.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::Contains;
using ::testing::Key;
using testing::Net;
using ::testing::Not;

const GlowQuantizationRules kDefaults = {.activation_schema = "symmetric_with_uint8",
                                         .constant_schema = "symmetric_with_uint8",
                                         .bias_precision = "Int32",
                                         .calibration = "None"};

GlowQuantizationRules With(std::string GlowQuantizationRules::*member, const std::string& value) {
  GlowQuantizationRules rules = kDefaults;
  rules.*member = value;
  return rules;
}

struct SchemaRow {
  const char* schema;
  float min;
  float max;
  double scale;
  int zero_point;  // of uint8
};

// By hand from the rules of the specification; powers of two and thirds of 255 are exact.
const SchemaRow kSchemas[] = {
    {"asymmetric", -1, 254, 1, 1},
    {"asymmetric", 10, 255, 1, 0},    // 0 is added to the range
    {"asymmetric", 0, 0, 0.1F, 128},  // scale 0 becomes 0.1
    {"symmetric", -1, 127, 1, 128},
    {"symmetric", -128, 1, 1, 128},  // the shorter side is widened
    {"symmetric", 0, 127, 1, 128},
    {"symmetric_with_uint8", 0, 255, 1, 0},  // no value below 0: from qmin on
    {"symmetric_with_uint8", -1, 127, 1, 128},
    {"symmetric_with_power2_scale", -127, 100, 1, 128},
    {"symmetric_with_power2_scale", -130, 100, 2, 128},  // upwards
};

TEST(GlowQuantizationTest, SchemasGiveScaleAndOffset) {
  for (const SchemaRow& row : kSchemas) {
    const ActivationScale scale = GlowActivationScale(
        {row.min, row.max, {}}, With(&GlowQuantizationRules::activation_schema, row.schema));
    EXPECT_EQ(scale.scale, static_cast<float>(row.scale)) << row.schema << row.min;
    EXPECT_EQ(scale.zero_point, row.zero_point) << row.schema << row.min;
  }
}

// Bins from -1 to 1: a triangle in the middle twentieth, and one value at each end.
GlowHistogram WithOutliers(std::size_t bins) {
  GlowHistogram profile{-1, 1, std::vector<float>(bins)};
  const std::size_t width = bins / 20;
  for (std::size_t i = 0; i < width; ++i) {
    profile.counts[(bins - width) / 2 + i] = static_cast<float>(1000 * std::min(i + 1, width - i));
  }
  profile.counts.front() = 1;
  profile.counts.back() = 1;
  return profile;
}

TEST(GlowQuantizationTest, EachCalibrationButNoneNarrowsARangeOfOutliers) {
  const GlowHistogram profile = WithOutliers(1024);
  const float whole = GlowActivationScale(profile, kDefaults).scale;
  EXPECT_EQ(whole, 1.0F / 127) << "symmetric: the positive end has the fewer steps";
  for (const char* method : {"KLMinimization", "KLMinimizationV2", "Percentile", "MSE", "SQNR"}) {
    GlowQuantizationRules rules = With(&GlowQuantizationRules::calibration, method);
    rules.percentile = 99.9;
    EXPECT_LT(GlowActivationScale(profile, rules).scale, whole * 2 / 3) << method;
  }
  GlowQuantizationRules all = With(&GlowQuantizationRules::calibration, "Percentile");
  all.percentile = 100;
  EXPECT_EQ(GlowActivationScale(profile, all).scale, whole);
}

TEST(GlowQuantizationTest, KlDoesNothingWithFewerThan255Bins) {
  const GlowQuantizationRules kl = With(&GlowQuantizationRules::calibration, "KLMinimization");
  EXPECT_EQ(GlowActivationScale(WithOutliers(254), kl),
            GlowActivationScale(WithOutliers(254), kDefaults));
  EXPECT_NE(GlowActivationScale(WithOutliers(512), kl),
            GlowActivationScale(WithOutliers(512), kDefaults));
}

// x -> conv (4 channels to 2, bias) -> relu -> pool -> softmax; sum = pool + constant.
struct Convolution {
  Convolution() {
    Net net;
    x = net.Input("x", {1, 2, 4, 4});
    w = net.Constant("w", Tensor::From<float>({2, 2, 1, 1}, std::vector<float>{1, -2, 127, 0.5F}));
    b = net.Constant("b", Tensor::From<float>({2}, std::vector<float>{0.5F, -3}));
    conv = net.Add(OpKind::kConv, "conv", {x, w, b});
    relu = net.Add(OpKind::kRelu, "relu", {conv});
    pool = net.Add(OpKind::kMaxPool, "pool", {relu}, PoolAttributes());
    c = net.Constant("c", Tensor::From<float>({1}, std::vector<float>{127}));
    sum = net.Add(OpKind::kAdd, "sum", {pool, c});
    softmax = net.Add(OpKind::kSoftmax, "softmax", {sum}, testing::With("axis", std::int64_t{1}));
    graph = net.Finish({softmax});
    profiles = {{x, {-128, 100, {}}},
                {conv, {-10, 20, {}}},
                {relu, {0, 255, {}}},
                {pool, {0, 100, {}}},
                {sum, {0, 510, {}}}};
    choices = ChooseNodes(graph, {.quantizes = true});
  }

  static Attributes PoolAttributes() {
    return testing::With("kernel_shape", std::vector<std::int64_t>{2, 2});
  }

  [[nodiscard]] Quantization Make(const GlowQuantizationRules& rules) const {
    return GlowQuantization(graph, choices, profiles, rules);
  }

  Graph graph;
  ValueId x{}, w{}, b{}, conv{}, relu{}, pool{}, c{}, sum{}, softmax{};
  ValueProfiles profiles;
  NodeChoices choices;
};

TEST(GlowQuantizationTest, TensorsOfQuantizedNodesHaveScales) {
  const Convolution net;
  const Quantization made = net.Make(kDefaults);
  EXPECT_EQ(made.activations.at("x"), (ActivationScale{1, 128}));
  EXPECT_EQ(made.activations.at("relu:0"), (ActivationScale{1, 0}));
  EXPECT_EQ(made.activations.at("conv:0"), made.activations.at("relu:0"))
      << "a convolution and the Relu that alone reads it round once";
  EXPECT_EQ(made.activations.at("pool:0"), made.activations.at("relu:0"))
      << "MaxPool reuses the parameters of its operand, whatever its own profile says";
  EXPECT_EQ(made.activations.at("c"), (ActivationScale{static_cast<float>(127 / 255.0), 0}));
  EXPECT_EQ(made.activations.at("sum:0"), (ActivationScale{2, 0}));
  EXPECT_THAT(made.activations, Not(Contains(Key("softmax:0")))) << "Softmax is not quantized";
  EXPECT_THAT(made.activations, Not(Contains(Key("w"))));
}

TEST(GlowQuantizationTest, WeightsHaveAScaleEachOrByChannel) {
  const Convolution net;
  const Quantization one = net.Make(kDefaults);
  EXPECT_EQ(one.weights.at("w").scales, std::vector<float>{1});
  EXPECT_EQ(one.weights.at("w").zero_points, std::vector<std::int32_t>{0});
  GlowQuantizationRules rules = kDefaults;
  rules.channelwise = true;
  const Quantization each = net.Make(rules);
  // Channel 0: -2 / -128 is more than 1 / 127. Channel 1 has no value below 0: from qmin on.
  EXPECT_EQ(each.weights.at("w").scales,
            (std::vector<float>{2.0F / 128, static_cast<float>(127 / 255.0)}));
  EXPECT_EQ(each.weights.at("w").zero_points, (std::vector<std::int32_t>{0, -128}));
  rules.constant_schema = "asymmetric";
  EXPECT_EQ(net.Make(rules).weights.at("w").zero_points, (std::vector<std::int32_t>{0, 0}))
      << "asymmetric becomes symmetric by channel, as Glow does";
}

TEST(GlowQuantizationTest, RowwiseIsOfProducts) {
  Net net;
  const ValueId x = net.Input("x", {1, 2});
  const ValueId w =
      net.Constant("w", Tensor::From<float>({2, 2}, std::vector<float>{-1, 64, 1, 127}));
  const ValueId y = net.Add(OpKind::kMatMul, "product", {x, w});
  const Graph graph = net.Finish({y});
  const ValueProfiles profiles = {{x, {-1, 1, {}}}, {y, {-1, 1, {}}}};
  GlowQuantizationRules rules = kDefaults;
  const NodeChoices choices = ChooseNodes(graph, {.quantizes = true});
  EXPECT_EQ(GlowQuantization(graph, choices, profiles, rules).weights.at("w").scales,
            std::vector<float>{1});
  rules.channelwise = true;
  EXPECT_EQ(GlowQuantization(graph, choices, profiles, rules).weights.at("w").scales,
            std::vector<float>{1})
      << "channelwise is of convolutions";
  rules.rowwise = true;
  EXPECT_EQ(GlowQuantization(graph, choices, profiles, rules).weights.at("w").scales,
            (std::vector<float>{1.0F / 127, static_cast<float>(127 / 255.0)}))
      << "a scale for each column of the result";
}

TEST(GlowQuantizationTest, AScaleGrowsForABiasThatDoesNotFit) {
  Net net;
  const ValueId x = net.Input("x", {1, 1, 2, 2});
  const ValueId w =
      net.Constant("w", Tensor::From<float>({1, 1, 1, 1}, std::vector<float>{0x1p-30F}));
  const ValueId b = net.Constant("b", Tensor::From<float>({1}, std::vector<float>{-0x1p10F}));
  const ValueId y = net.Add(OpKind::kConv, "conv", {x, w, b});
  const Graph graph = net.Finish({y});
  const Quantization made = GlowQuantization(
      graph, ChooseNodes(graph, {.quantizes = true}), {{x, {-128, 127, {}}}, {y, {-1, 1, {}}}},
      With(&GlowQuantizationRules::constant_schema, "symmetric"));
  // The input has scale 1, so that 2^10 / 2^29 is the least scale with 30 bits for the bias.
  EXPECT_EQ(made.weights.at("w").scales, std::vector<float>{0x1p-19F});
}

TEST(GlowQuantizationTest, ABiasOfInt8IsRounded) {
  const Convolution net;
  const Quantization made = net.Make(With(&GlowQuantizationRules::bias_precision, "Int8"));
  const float scale = 3.0F / 128;  // of -3 to 0.5, symmetric
  EXPECT_EQ(made.bias_shifts.at("conv"),
            (std::vector<float>{scale * std::nearbyint(0.5F / scale) - 0.5F, 0}));
  EXPECT_TRUE(net.Make(kDefaults).bias_shifts.empty());
}

// The same ranges and schemas, 257 times as fine.
TEST(GlowQuantizationTest, Int16HasTheSchemasOf65536Numbers) {
  Convolution net;
  net.choices = ChooseNodes(net.graph, {.quantizes = true, .integers = QaicPrecision::kInt16});
  net.profiles[net.x] = {-32768, 100, {}};
  net.profiles[net.relu] = {0, 65535, {}};
  GlowQuantizationRules rules = kDefaults;
  rules.channelwise = true;
  rules.integers = QaicPrecision::kInt16;
  const Quantization made = net.Make(rules);
  EXPECT_EQ(made.activations.at("x"), (ActivationScale{1, 32768})) << "symmetric";
  EXPECT_EQ(made.activations.at("relu:0"), (ActivationScale{1, 0})) << "unsigned";
  EXPECT_EQ(made.activations.at("conv:0"), made.activations.at("relu:0"));
  EXPECT_EQ(made.activations.at("c"), (ActivationScale{static_cast<float>(127 / 65535.0), 0}));
  // Channel 1, 0.5 to 127, from qmin on; its bias of -3 fits into 30 bits of 1 * 127 / 65535.
  EXPECT_EQ(made.weights.at("w").scales.at(1), static_cast<float>(127 / 65535.0));
  EXPECT_EQ(made.weights.at("w").zero_points, (std::vector<std::int32_t>{0, -32768}));
}

TEST(GlowQuantizationTest, EveryTensorNeedsARange) {
  Convolution net;
  net.profiles.erase(net.relu);
  net.profiles.erase(net.sum);
  try {
    static_cast<void>(net.Make(kDefaults));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "no range for 2 tensors of nodes that are to be quantized: 'relu:0', 'sum:0'; "
                 "profile the network again, or keep those nodes in FP16 or FP32");
  }
}

}  // namespace
}  // namespace halftone
