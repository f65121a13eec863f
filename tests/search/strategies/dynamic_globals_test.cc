#include "search/strategies/dynamic_globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "search/space/choice_form.h"
#include "src/exec/dynamic_products.h"
#include "src/exec/executable.h"
#include "src/exec/host_target.h"
#include "src/precision/files/write_files.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "src/quantization/schemes.h"
#include "tests/search/int8_head.h"
#include "tests/search/strategies/global_choices.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using testing::ChoicesOf;
using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::IsEmpty;
using testing::ScalesOf;

const NumericFormat kInt8 = *NumericFormat::Named("qint8");
const NumericFormat kDynamic = *NumericFormat::Named("dint8");

// narrow -> wide -> softmax: the first has too few columns, the last is no product.
Graph Head() {
  GraphBuilder net;
  const auto weights = [&](const std::string& name, Shape shape) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    float next = 0;
    for (float& value : tensor.mutable_values<float>()) {
      value = 0.01F * (next = next > 50 ? -50 : next + 3);
    }
    return net.Constant(name, std::move(tensor));
  };
  const ValueId x = net.Input("x", {4, 12});
  const ValueId a = net.Add(OpKind::kMatMul, "narrow", {x, weights("w1", {12, 20})});
  const ValueId b =
      net.Add(OpKind::kMatMul, "wide", {a, weights("w2", {20, kLeastDynamicColumns})});
  const ValueId c = net.Add(OpKind::kAdd, "bias", {b, weights("b2", {kLeastDynamicColumns})});
  const ValueId d = net.Add(OpKind::kGelu, "gelu", {c});
  Attributes last;
  last.Set("axis", std::int64_t{-1});
  return net.Finish({net.Add(OpKind::kSoftmax, "softmax", {d}, last)});
}

TEST(DynamicGlobals, WhereverItCanBeAndTheOthersInEachFormat) {
  const Graph graph = Head();
  const TargetSpec target = HostTarget();
  const Decisions decisions(
      graph, target,
      {.formats = {DType::kBFloat16, kInt8, kDynamic}, .quantization = ScalesOf(graph)});
  const std::vector<Assignment> globals = DynamicGlobals(decisions);
  ASSERT_EQ(globals.size(), 3U);
  EXPECT_THAT(ChoicesOf(decisions, globals[0]),
              ElementsAre("narrow: float32", "wide: dynamic int8", "softmax: float32"));
  EXPECT_THAT(ChoicesOf(decisions, globals[1]),
              ElementsAre("narrow: bfloat16", "wide: dynamic int8", "softmax: bfloat16"));
  EXPECT_THAT(ChoicesOf(decisions, globals[2]),
              ElementsAre("narrow: int8 to float32", "wide: dynamic int8", "softmax: float32"));
}

// Nothing is calibrated for it.
TEST(DynamicGlobals, NoQuantisationIsNeeded) {
  const Graph graph = Head();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target, {.formats = {kInt8, kDynamic}});
  const std::vector<Assignment> globals = DynamicGlobals(decisions);
  ASSERT_EQ(globals.size(), 1U);
  const PrecisionPlan plan = decisions.PlanFor(globals[0]);
  EXPECT_FALSE(plan.quantization);
  EXPECT_EQ(decisions.AssignmentOf(plan), globals[0]);
  std::vector<std::string> steps;
  const Executable executable = Compile(graph, plan);
  for (const StepInfo& step : executable.steps()) {
    steps.push_back(step.op);
  }
  EXPECT_THAT(steps, ElementsAre("MatMul", "DynamicMatMul", "Softmax"));
}

TEST(DynamicGlobals, ThereAreNoneWithoutAWideProduct) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {4, 12});
  const Graph graph = net.Finish({net.Add(
      OpKind::kMatMul, "narrow", {x, net.Constant("w", Tensor(DType::kFloat32, {12, 20}))})});
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target, {.formats = {DType::kBFloat16, kDynamic}});
  EXPECT_THAT(DynamicGlobals(decisions), IsEmpty());
  EXPECT_THAT(decisions.formats(), ElementsAre(NumericFormat(DType::kBFloat16)));  // not probed
}

// Options and files that give the plan again.
TEST(DynamicGlobals, FilesGiveThePlanAgain) {
  const Graph graph = Head();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target, {.formats = {DType::kBFloat16, kDynamic}});
  for (const Assignment& assignment : DynamicGlobals(decisions)) {
    const PrecisionPlan plan = decisions.PlanFor(assignment);
    const PrecisionOptions options = ConfigurationFor(graph, plan, target, {}).options;
    const OptionFiles files = WriteOptionFiles(options, "");
    ASSERT_TRUE(files.files.contains("quantization.json"));
    EXPECT_NE(files.files.at("quantization.json").find("\"dynamic int8\""), std::string::npos);
    const PrecisionPlan again = ResolvePrecision(graph, ReadOptionFiles(files, nullptr), target);
    EXPECT_EQ(again.Digest(), plan.Digest());
  }
}

// A reader that quantises rows itself costs no conversion of its operand, and has float32 results.
TEST(DynamicGlobals, EdgesAreFloat32) {
  EXPECT_FALSE(IsConverted(DType::kFloat32, kDynamic));
  EXPECT_TRUE(IsConverted(DType::kBFloat16, kDynamic));
  EXPECT_TRUE(IsConverted(kInt8, kDynamic));
  EXPECT_FALSE(LosesBits(DType::kFloat32, kDynamic));
  EXPECT_EQ((Choice{.format = kDynamic}.output_format()), NumericFormat(DType::kFloat32));
  EXPECT_EQ(NameOf(Choice{.format = kDynamic}), "dynamic int8");
}

}  // namespace
}  // namespace halftone
