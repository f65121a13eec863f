// A device joins a convolution and its BatchNormalization before it gives types: they have one
// precision, and options are written so.
#include "src/precision/joined_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "src/target/builtin_targets.h"
#include "tests/support/conv_norm_network.h"

namespace halftone {
namespace {

using ::testing::Contains;
using testing::ConvNormRelu;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

TargetSpec Soc(std::string_view name) {
  return FindSocVersion(name)->ForSoc(name);
}

PrecisionOptions Keep(std::vector<std::string> lines, std::string mode = "force_fp16") {
  PrecisionOptions options;
  options.precision_mode = std::move(mode);
  options.keep_dtype = std::move(lines);
  return options;
}

// Types of the results of conv, bn and relu.
std::vector<DType> Results(const PrecisionPlan& plan) {
  std::vector<DType> dtypes;
  for (const NodePrecision& node : plan.nodes) {
    dtypes.push_back(node.outputs.at(0).dtype());
  }
  return dtypes;
}

TEST(JoinedWith, IsWhatTheTargetFusesIntoWeights) {
  EXPECT_THAT(JoinedWith(ConvNormRelu(), Soc("Ascend910B1")), ElementsAre(0, 0, 2));
  EXPECT_THAT(JoinedWith(ConvNormRelu(true), Soc("Ascend910B1")), ElementsAre(0, 1, 2));
  TargetSpec none = Soc("Ascend910B1");
  none.fusions = nullptr;
  EXPECT_THAT(JoinedWith(ConvNormRelu(), none), ElementsAre(0, 1, 2));
  Graph off = ConvNormRelu();  // the switch is of halftone's kernels
  off.fusions_off.insert("fold_batch_norm");
  EXPECT_THAT(JoinedWith(off, Soc("Ascend910B1")), ElementsAre(0, 0, 2));
}

// The compiler of Cloud AI joins what has one precision, and gives that first.
TEST(JoinedWith, IsNothingWhereTypesComeFirst) {
  EXPECT_THAT(JoinedWith(ConvNormRelu(), Soc("cloud_ai_100")), ElementsAre(0, 1, 2));
}

TEST(JoinedNodes, ALineOnTheNormKeepsTheConvolutionAndSaysSo) {
  const TargetSpec target = Soc("Ascend910B1");
  const PrecisionPlan plan = ResolvePrecision(ConvNormRelu(), Keep({"bn"}), target);
  EXPECT_THAT(Results(plan), ElementsAre(kF32, kF32, kF16));
  EXPECT_EQ(plan.nodes[0].reason, "kept by keep_dtype line 'bn'");
  EXPECT_THAT(plan.warnings,
              ElementsAre("keep_dtype: Ascend910B1 joins nodes before it gives types, so that line "
                          "'bn' keeps 'conv' too"));
}

TEST(JoinedNodes, ALineOnTheConvolutionKeepsTheNorm) {
  const PrecisionPlan plan = ResolvePrecision(ConvNormRelu(), Keep({"conv"}), Soc("Ascend910B1"));
  EXPECT_THAT(Results(plan), ElementsAre(kF32, kF32, kF16));
  EXPECT_EQ(plan.nodes[1].reason, "part of conv on Ascend910B1: float32");
  EXPECT_THAT(plan.warnings, IsEmpty());
}

// As the compiler: its library has the convolution in float16 only.
TEST(JoinedNodes, ALineOnTheNormIsRefusedWhereTheConvolutionCannotBeKept) {
  try {
    ResolvePrecision(ConvNormRelu(), Keep({"bn"}), Soc("Ascend310P3"));
    FAIL() << "expected EZ3003";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("EZ3003"));
    EXPECT_THAT(error.what(), HasSubstr("conv"));
  }
}

// Fused in the unified buffer, which comes behind types.
TEST(JoinedNodes, ALineOnTheReluKeepsTheReluAlone) {
  const PrecisionPlan plan = ResolvePrecision(ConvNormRelu(), Keep({"relu"}), Soc("Ascend310P3"));
  EXPECT_THAT(Results(plan), ElementsAre(kF16, kF16, kF32));
  EXPECT_THAT(plan.warnings, IsEmpty());
}

TEST(JoinedNodes, ADtypeOfTheNormItselfHasNoEffectAndThatIsSaid) {
  PrecisionOptions options = Keep({});
  options.customize_dtypes = {
      {.target = "bn", .is_type = false, .inputs = {kF32}, .outputs = {kF32}}};
  const PrecisionPlan plan = ResolvePrecision(ConvNormRelu(), options, Soc("Ascend910B1"));
  EXPECT_THAT(Results(plan), ElementsAre(kF16, kF16, kF16));
  EXPECT_THAT(plan.warnings, ElementsAre("customize_dtypes line of 'bn' has no effect: Ascend910B1 "
                                         "joins it with 'conv'"));
}

// The fused node is a convolution, and on the list of convolutions.
TEST(JoinedNodes, TheListOfTheNormDoesNotDecideItAndThatIsSaid) {
  PrecisionOptions options = Keep({}, "allow_mix_precision");
  options.modify_mixlist.emplace().black.to_add = {"BNInference"};
  const PrecisionPlan plan = ResolvePrecision(ConvNormRelu(), options, Soc("Ascend910B1"));
  EXPECT_THAT(Results(plan), ElementsAre(kF16, kF16, kF16));
  EXPECT_THAT(plan.warnings,
              Contains("modify_mixlist: the list of BNInference decides no node that Ascend910B1 "
                       "joins with another, as 'bn' with 'conv'"));
}

TEST(ConfigurationForJoinedNodes, OneLineKeepsBoth) {
  const Graph graph = ConvNormRelu();
  const TargetSpec target = Soc("Ascend910B1");
  const std::vector<std::string> modes = {"force_fp16"};
  const PrecisionPlan plan = ResolvePrecision(graph, Keep({"bn", "conv"}), target);
  const WrittenConfiguration written = ConfigurationFor(graph, plan, target, modes);
  EXPECT_THAT(written.options.keep_dtype, ElementsAre("conv"));
  EXPECT_THAT(written.options.customize_dtypes, IsEmpty());
}

TEST(ConfigurationForJoinedNodes, APlanThatTakesThemApartIsRefusedByName) {
  const Graph graph = ConvNormRelu();
  const TargetSpec target = Soc("Ascend910B1");
  PrecisionPlan plan = ResolvePrecision(graph, Keep({}), target);
  plan.nodes[1].inputs[0] = kF32;
  plan.nodes[1].outputs[0] = kF32;
  try {
    ConfigurationFor(graph, plan, target);
    FAIL() << "expected a refusal";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "no option set for Ascend910B1 gives node 'bn' a precision of its own: Ascend910B1 "
              "joins it with 'conv' before it gives types");
  }
}

}  // namespace
}  // namespace halftone
