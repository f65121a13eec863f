#include "src/amct/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve/node_formats.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/builtin_targets.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Net;
using testing::With;

std::vector<std::string> NamesOf(const Graph& graph, const std::vector<NodeId>& ids) {
  std::vector<std::string> names;
  for (const NodeId id : ids) {
    names.push_back(graph.node(id).name);
  }
  return names;
}

// conv -> relu -> pool -> flatten -> product with constant weights -> product of two activations
Graph Network() {
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 4);
  const ValueId relu = net.Add(OpKind::kRelu, "relu", {conv});
  const ValueId pool = net.Add(OpKind::kAveragePool, "pool", {relu},
                               With("kernel_shape", std::vector<std::int64_t>{1, 1}));
  const ValueId row = net.Add(OpKind::kGlobalAveragePool, "global", {pool});
  const ValueId flat = net.Add(OpKind::kFlatten, "flatten", {row});
  const ValueId product = net.Add(OpKind::kMatMul, "fc", {flat, net.Weights("w", {4, 4})});
  return net.Finish({net.Add(OpKind::kMatMul, "own", {net.Input("a", {4, 2}), product})});
}

TargetSpec Ascend() {
  return FindSocVersion("Ascend310P3")->ForSoc("Ascend310P3");
}

PrecisionOptions InEightBits(const std::string& mode, const std::vector<std::string>& layers) {
  PrecisionOptions options{.precision_mode = mode};
  for (const std::string& layer : layers) {
    options.node_formats[layer] = kQuantizedInFloat16;
  }
  options.quantization = SharedQuantization(Quantization{.activations = {{"x", {}}}});
  return options;
}

TEST(AmctLayersTest, AreTheKindsThatAmctQuantizes) {
  const Graph graph = Network();
  EXPECT_THAT(NamesOf(graph, AmctLayers(graph)), ElementsAre("conv", "pool", "fc"));
}

TEST(AmctLayersTest, AreOfAscendAlone) {
  EXPECT_TRUE(IsAmctTarget(Ascend()));
  EXPECT_FALSE(IsAmctTarget(FindSocVersion("cloud_ai_100")->ForSoc("cloud_ai_100")));
  EXPECT_FALSE(IsAmctTarget(TargetSpec{}));
}

TEST(AmctConfigOfTest, EverySetOfLayersReadsBack) {
  const Graph graph = Network();
  const TargetSpec target = Ascend();
  const std::vector<std::string> all = {"conv", "pool", "fc"};
  for (unsigned set = 0; set < 8; ++set) {
    std::vector<std::string> layers;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((set >> i & 1U) != 0) {
        layers.push_back(all[i]);
      }
    }
    const PrecisionPlan plan =
        ResolvePrecision(graph, InEightBits("allow_mix_precision", layers), target);
    const AmctConfig config = AmctConfigOf(graph, plan, 16);
    EXPECT_THAT(QuantizedLayers(graph, config), ::testing::UnorderedElementsAreArray(layers));
    EXPECT_EQ(config.batch_num, 16);
    EXPECT_TRUE(config.activation_offset);
    EXPECT_EQ(config.skip_layers.size(), all.size() - layers.size());
  }
}

TEST(AmctConfigOfTest, ATypeIsSkippedWhole) {
  const Graph graph = Network();
  AmctConfig config;
  config.skip_layer_types = {"Conv2D"};
  EXPECT_THAT(QuantizedLayers(graph, config), ElementsAre("fc", "pool"));
}

TEST(AmctConfigOfTest, AnotherOperatorIsRefused) {
  const Graph graph = Network();
  const PrecisionPlan plan = ResolvePrecision(graph, InEightBits("force_fp16", {"relu"}), Ascend());
  try {
    AmctConfigOf(graph, plan, 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "AMCT does not quantise node 'relu'");
  }
}

struct RuleCase {
  std::string name;
  PrecisionOptions options;
  const char* message;  // null: it is accepted
};

class AtcRuleTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(AtcRuleTest, RefusesHighPrecisionBesideACalibration) {
  const Graph graph = Network();
  try {
    const PrecisionPlan plan = ResolvePrecision(graph, GetParam().options, Ascend());
    EXPECT_EQ(GetParam().message, nullptr);
    EXPECT_EQ(plan.nodes[0].outputs[0], NumericFormat(DType::kFloat16));
  } catch (const Error& error) {
    ASSERT_NE(GetParam().message, nullptr) << error.what();
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

std::vector<RuleCase> RuleCases() {
  std::vector<RuleCase> rows;
  for (const auto& [mode, message] : std::vector<std::pair<const char*, const char*>>{
           {"force_fp16", nullptr},
           {"allow_fp32_to_fp16", nullptr},
           {"allow_mix_precision", nullptr},
           {"force_fp32", "ATC does not calibrate in high precision: --precision_mode=force_fp32;"},
           {"must_keep_origin_dtype",
            "ATC does not calibrate in high precision: "
            "--precision_mode=must_keep_origin_dtype;"}}) {
    rows.push_back({mode, InEightBits(mode, {"conv"}), message});
  }
  PrecisionOptions origin = InEightBits("", {"conv"});
  origin.precision_mode_v2 = "origin";
  rows.push_back({"v2_origin", origin, "calibrate in high precision: --precision_mode_v2=origin;"});
  PrecisionOptions high = InEightBits("force_fp16", {"conv"});
  high.op_precision_given = true;
  high.impl_mode_by_type["ReduceMean"] = ImplMode::kHighPrecision;
  rows.push_back({"high_precision", high, "high_precision in --op_precision_mode;"});
  rows.push_back({"no_layer", InEightBits("allow_mix_precision", {}), nullptr});
  PrecisionOptions kept = InEightBits("force_fp16", {"fc"});
  kept.customize_dtypes = {{.target = "fc",
                            .is_type = false,
                            .inputs = {DType::kFloat16},
                            .outputs = {DType::kFloat32}}};
  rows.push_back({"a_float32_result", kept, "node 'fc' cannot compute in qint8"});
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Options, AtcRuleTest, ::testing::ValuesIn(RuleCases()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
