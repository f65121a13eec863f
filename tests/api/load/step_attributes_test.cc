// Attributes hold what ONNX says: those of the nodes of a network, and those of the steps that it
// is lowered to. What fusions and layouts add stands beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "src/exec/plan_layouts.h"
#include "src/exec/program.h"
#include "src/ir/op_table.h"
#include "src/ir/run_time_extent.h"
#include "src/onnx/attribute.h"
#include "src/onnx/reader.h"
#include "src/passes/passes.h"
#include "tests/support/operator_samples.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

PrecisionPlan InFloat16(const Graph& graph) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), NumericFormat(DType::kFloat32),
                 NumericFormat(DType::kFloat16));
    std::replace(node.outputs.begin(), node.outputs.end(), NumericFormat(DType::kFloat32),
                 NumericFormat(DType::kFloat16));
  }
  return plan;
}

// Number of steps that have something that ONNX does not say.
int CheckSteps(const Graph& graph, const PrecisionPlan& plan) {
  Program program = Lower(graph, plan);
  PlanLayouts(program, {});
  int steps = 0;
  for (const Step& step : program.steps) {
    EXPECT_NO_THROW(CheckAttributes(step.op, step.attributes)) << step.node;
    steps += step.fusion != Fusion() || step.layout != StepLayout() ? 1 : 0;
  }
  return steps;
}

TEST(StepAttributes, AreThoseOfOnnxForEachOperator) {
  testing::SampleGraph samples(1);
  for (const OpInfo& info : AllOps()) {
    samples.AddCall(info.kind);
  }
  const Graph graph = samples.Finish();
  EXPECT_GT(CheckSteps(graph, ReferencePlan(graph)), 0);
}

class StepAttributesOfModel : public ::testing::TestWithParam<const char*> {};

TEST_P(StepAttributesOfModel, AreThoseOfOnnx) {
  const auto shared = testing::SharedDir();
  if (!shared) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  Graph graph = ReadOnnx(*shared / "models" / GetParam());
  Canonicalize(graph);
  for (const Node& node : graph.nodes) {
    EXPECT_NO_THROW(CheckAttributes(node.op, node.attributes)) << node.name;
    EXPECT_TRUE(node.fusion == Fusion() && node.chain == 0) << node.name;
    EXPECT_TRUE(!node.planned_count || HasRunTimeExtent(node.op)) << node.name;
  }
  EXPECT_GT(CheckSteps(graph, ReferencePlan(graph)), 0);
  EXPECT_GT(CheckSteps(graph, InFloat16(graph)), 0);
}

INSTANTIATE_TEST_SUITE_P(Models, StepAttributesOfModel,
                         ::testing::Values("face-landmarks-mnv3", "gpt-untrained",
                                           "katago-transformer-b7c96", "magika", "stories260k",
                                           "yolox-nano", "light/bert_base",
                                           "light/efficientnet_b0"),
                         [](const auto& row) {
                           std::string name = row.param;
                           for (char& c : name) {
                             c = c == '/' || c == '-' ? '_' : c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace halftone
