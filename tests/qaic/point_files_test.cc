#include "src/qaic/point_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/exec/host_target.h"
#include "src/precision/resolve/resolve.h"
#include "src/qaic/external_ranges.h"
#include "src/qaic/host_precision.h"
#include "src/qaic/integer_precision.h"
#include "src/target/builtin_targets.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Net;

// conv -> bn -> relu -> mul with itself -> softmax -> relu: two nodes of a kind.
Graph Network() {
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 4);
  const ValueId relu = net.Add(OpKind::kRelu, "relu1", {net.BatchNorm("bn", conv, 4)});
  const ValueId mul = net.Add(OpKind::kMul, "mul", {relu, relu});
  const ValueId softmax =
      net.Add(OpKind::kSoftmax, "softmax", {mul}, testing::With("axis", std::int64_t{1}));
  Graph graph = net.Finish({net.Add(OpKind::kRelu, "relu2", {softmax})});
  for (Node& node : graph.nodes) {
    node.origins[0].output = node.name + "_out";
  }
  return graph;
}

TargetSpec CloudAi() {
  return FindSocVersion("cloud_ai_100")->ForSoc("cloud_ai_100");
}

PrecisionPlan PlanOf(const Graph& graph, const NodeChoices& choices, bool to_fp16,
                     const TargetSpec& target) {
  PrecisionOptions options = HostPrecision(graph, choices, to_fp16);
  if (!options.node_formats.empty()) {
    options.quantization = SharedQuantization(Quantization{.activations = {{"x", {}}}});
  }
  return ResolvePrecision(graph, options, target);
}

TEST(QaicPointTest, EveryMixOfPrecisionsReadsBackToItsPlan) {
  const Graph graph = Network();
  Rng rng(7);
  for (const TargetSpec& target : {HostTarget(), CloudAi()}) {
    for (int round = 0; round < 100; ++round) {
      const bool quantizes = round % 2 == 1;
      const QaicPrecision integers = round % 4 == 1 ? QaicPrecision::kInt16 : QaicPrecision::kInt8;
      NodeChoices choices;
      for (const Node& node : graph.nodes) {
        const bool may_be_int8 = quantizes && node.op != OpKind::kSoftmax;
        choices.nodes.push_back({std::vector{QaicPrecision::kFloat32, QaicPrecision::kFloat16,
                                             integers}[rng.Below(may_be_int8 ? 3 : 2)],
                                 ""});
      }
      const PrecisionPlan plan = PlanOf(graph, choices, false, target);
      const QaicPoint point = PointOf(graph, plan);
      const NodeChoiceRequest request = point.Request();
      EXPECT_EQ(PlanOf(graph, ChooseNodes(graph, request), request.to_fp16, target).Digest(),
                plan.Digest())
          << target.name << " " << round << " " << WriteNodePrecision(point.lists);
    }
  }
}

struct ShortestRow {
  NodeChoiceRequest request;
  std::vector<std::string> options;
  std::size_t names;
};

TEST(QaicPointTest, NamesAreFew) {
  const Graph graph = Network();
  const ShortestRow rows[] = {
      {{}, {}, 0},
      {{.to_fp16 = true}, {"-convert-to-fp16"}, 0},
      {{.fp32_outputs = {"softmax_out"}, .to_fp16 = true}, {"-convert-to-fp16"}, 1},
      {{.fp16_outputs = {"conv_out", "bn_out"}}, {}, 2},
      {{.fp16_kinds = {"Relu"}}, {"-execute-nodes-in-fp16=Relu"}, 0},
      {{.kept_kinds = {"Relu"}, .to_fp16 = true},
       {"-convert-to-fp16", "-keep-original-precision-for-nodes=Relu"},
       0},
      {{.fp16_outputs = {"relu1_out"}}, {}, 1},
  };
  for (const ShortestRow& row : rows) {
    const QaicPoint point = PointOf(
        graph, PlanOf(graph, ChooseNodes(graph, row.request), row.request.to_fp16, HostTarget()));
    EXPECT_EQ(point.options, row.options);
    EXPECT_EQ(point.lists.float16.size() + point.lists.float32.size(), row.names);
  }
}

TEST(QaicPointTest, IntegersOfTwoSizesAreRefused) {
  const Graph graph = Network();
  NodeChoices choices = ChooseNodes(graph, {.quantizes = true});
  choices.nodes.at(0).precision = QaicPrecision::kInt16;
  try {
    PointOf(graph, PlanOf(graph, choices, false, CloudAi()));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("other nodes compute in integers of another size"));
  }
}

TEST(QaicPointTest, FormatsOfOtherDevicesAreRefused) {
  const Graph graph = Network();
  PrecisionPlan plan = PlanOf(graph, ChooseNodes(graph, {}), false, HostTarget());
  plan.nodes[2].inputs = {DType::kBFloat16};
  plan.nodes[2].outputs = {DType::kBFloat16};
  const auto message = [&] {
    try {
      PointOf(graph, plan);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(),
            "no options of the Cloud AI compiler give node 'relu1' (Relu) its formats: "
            "it computes in bfloat16");
  plan.nodes[2].outputs = {DType::kFloat32};
  EXPECT_THAT(message(), HasSubstr("its operands and results differ"));
  EXPECT_THAT(QaicPointTexts(graph, plan, {.path = "m.onnx"}).files.at("qaic_compile.sh"),
              HasSubstr("exit 1"))
      << "a script that says why";
}

TEST(QaicPointTest, ScriptsRunFromAnyFolder) {
  const Graph graph = Network();
  const PrecisionPlan plan =
      PlanOf(graph, ChooseNodes(graph, {.fp16_outputs = {"conv_out", "bn_out"}}), false, CloudAi());
  const auto texts =
      QaicPointTexts(graph, plan, {.path = "/m/a b.onnx", .has_own_shapes = true}).files;
  EXPECT_EQ(texts.at("node_precision.yaml"), "FP16NodeInstanceNames:\n  - bn_out\n  - conv_out\n");
  EXPECT_THAT(texts.at("qaic_compile.sh"),
              HasSubstr("model='/m/a b.onnx'\n"
                        "exec qaic-compile -m=\"${MODEL:-$model}\" \\\n"
                        "  -model-input='x,float,[2,4,3,5]' \\\n"
                        "  -node-precision-info=\"$folder\"/node_precision.yaml \\\n"
                        "  \"$@\"\n"));
}

// Activations of a calibration to the compiler's quantisation, to a profile, and back.
TEST(QaicPointTest, TheScalesOfAPlanComeBackFromItsProfile) {
  const Graph graph = Network();
  Quantization calibrated;
  Rng rng(11);
  for (const char* name : {"x", "conv:0", "bn:0", "relu1:0", "mul:0", "softmax:0"}) {
    calibrated.activations.emplace(name,
                                   ActivationScale{static_cast<float>(rng.Uniform(0.01, 1)),
                                                   static_cast<std::int32_t>(rng.Below(256))});
  }
  const Quantization made = CompilersQuantization(graph, calibrated);
  EXPECT_EQ(made.activations.at("x"), calibrated.activations.at("x"));
  EXPECT_EQ(made.activations.at("bn:0"), calibrated.activations.at("relu1:0")) << "one rounding";
  EXPECT_EQ(made.weights.at("conv.w").scales.size(), 4U) << "by channel";
  EXPECT_EQ(CompilersQuantization(graph, made), made);
  NodeChoices choices =
      ChooseNodes(graph, {.fp16_outputs = {"mul_out", "relu2_out"}, .quantizes = true});
  PrecisionOptions options = HostPrecision(graph, choices, false);
  options.quantization = SharedQuantization(made);
  const PrecisionPlan plan = ResolvePrecision(graph, options, CloudAi());
  const ProfileOrigin origin = {.model = Hasher().Add("m").Finish(),
                                .node_precision = FingerprintOf(PointOf(graph, plan).lists)};
  const auto texts =
      QaicPointTexts(graph, plan, {.path = "m.onnx", .hash = origin.model, .version = "1"}).files;
  const LoadedProfile loaded = MatchProfile(
      graph, ParseGlowProfile(texts.at("profile.yaml"), "profile.yaml"), origin, "profile.yaml");
  EXPECT_EQ(GlowQuantization(graph, ScaledNodes(graph, choices, loaded.values, {}), loaded.values,
                             RulesOfPoints()),
            made);
  EXPECT_THAT(texts.at("qaic_compile.sh"), HasSubstr("-load-profile=\"$folder\"/profile.yaml"));
}

// Each scale has a range from which the asymmetric schema makes it again, to the last bit.
TEST(QaicPointTest, RangesGiveTheScalesBack) {
  for (const IntegerPrecision& integers : kIntegerPrecisions) {
    Net net;
    const ValueId x = net.Input("x", {4});
    const Graph graph = net.Finish({net.Add(OpKind::kRelu, "relu", {x})});
    Rng rng(3);
    const GlowQuantizationRules rules = {.activation_schema = "asymmetric",
                                         .constant_schema = "asymmetric",
                                         .bias_precision = "Int32",
                                         .calibration = "None",
                                         .integers = integers.precision};
    for (int i = 0; i < 2000; ++i) {
      const ActivationScale scale{static_cast<float>(std::exp(rng.Uniform(-12, 12))),
                                  static_cast<std::int32_t>(rng.Below(
                                      2 * static_cast<std::uint64_t>(integers.unsigned_shift)))};
      const ValueProfiles made = ProfilesOf(graph, {.activations = {{"x", scale}}},
                                            {{x, {-1, 1, {1, 2, 3, 4}}}}, integers.precision);
      EXPECT_EQ(GlowActivationScale(made.at(x), rules), scale)
          << scale.scale << " " << scale.zero_point;
      EXPECT_EQ(made.at(x).counts.size(), 4U);
    }
  }
}

// The older tool has no FP32NodeInstanceNames: it keeps whole kinds, or names the others.
TEST(QaicPointTest, TheOlderToolNamesNoNodesInFp32) {
  Net net;
  ValueId value = net.Input("x", {4});
  for (const OpKind op : {OpKind::kRelu, OpKind::kTanh, OpKind::kExp, OpKind::kSigmoid}) {
    value = net.Add(op, std::string(InfoOf(op).name), {value});
  }
  Graph graph = net.Finish({net.Add(OpKind::kRelu, "last", {value})});
  for (Node& node : graph.nodes) {
    node.origins[0].output = node.name + "_out";
  }
  const auto plan = [&](const NodeChoiceRequest& request) {
    return PlanOf(graph, ChooseNodes(graph, request), request.to_fp16, CloudAi());
  };
  const PrecisionPlan lowered = plan({.fp32_outputs = {"Sigmoid_out"}, .to_fp16 = true});
  EXPECT_THAT(PointOf(graph, lowered).lists.float32, ElementsAre("Sigmoid_out"));
  const QaicPoint older = PointOf(graph, lowered, QaicTool::kExec);
  EXPECT_THAT(older.lists.float32, IsEmpty());
  EXPECT_THAT(older.options, ElementsAre("-execute-nodes-in-fp16=Exp,Relu,Tanh"));
  const NodeChoiceRequest request = older.Request();
  EXPECT_EQ(plan(request).Digest(), lowered.Digest());
  const PrecisionPlan kept = plan({.fp32_outputs = {"Tanh_out"}, .quantizes = true});
  EXPECT_THAT(PointOf(graph, kept, QaicTool::kExec).options,
              ElementsAre("-keep-original-precision-for-nodes=Tanh"));
  try {
    PointOf(graph, plan({.fp32_outputs = {"last_out"}, .quantizes = true}), QaicTool::kExec);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(),
                HasSubstr("qaic-exec keeps whole kinds in FP32, and no single nodes"));
  }
}

}  // namespace
}  // namespace halftone
