// Decisions of one input shape on the graph of another: by name, where the nodes are alike.
#include "src/precision/resolve/plan_for_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::ElementsAre;

// relu -> scale; at a batch of several a Reshape between them.
Graph Net(std::int64_t batch) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", {batch, 4});
  x = builder.Add(OpKind::kRelu, "relu", {x});
  if (batch > 1) {
    x = builder.Add(OpKind::kReshape, "flat", {x, builder.Integers("shape", {1, batch * 4})});
  }
  return builder.Finish({builder.Add(OpKind::kSigmoid, "end", {x})});
}

PrecisionPlan AllOf(const Graph& graph, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.inputs[0] = dtype;
    node.outputs[0] = dtype;
  }
  return plan;
}

TEST(PlanForShapes, NodesThatBothHaveDoAsDecided) {
  const Graph one = Net(1);
  const Graph three = Net(3);
  PrecisionPlan decided = AllOf(one, DType::kFloat16);
  decided.nodes[1].impl_mode = ImplMode::kHighPerformance;
  const PrecisionPlan plan = PlanForShapes(one, decided, three, AllOf(three, DType::kBFloat16));
  ASSERT_EQ(plan.nodes.size(), 3U);
  EXPECT_EQ(plan.nodes[0], decided.nodes[0]);
  EXPECT_EQ(plan.nodes[1].outputs[0], DType::kBFloat16);  // only here: as resolved
  EXPECT_EQ(plan.nodes[2], decided.nodes[1]);
  EXPECT_THAT(NodesOnlyIn(three, one), ElementsAre("flat"));
  EXPECT_THAT(NodesOnlyIn(one, three), ElementsAre());
}

// The same name for another operator is another node.
TEST(PlanForShapes, ANameAloneIsNoNode) {
  const Graph one = Net(1);
  Graph other = Net(1);
  other.nodes[1].op = OpKind::kTanh;
  const PrecisionPlan plan =
      PlanForShapes(one, AllOf(one, DType::kFloat16), other, AllOf(other, DType::kFloat32));
  EXPECT_EQ(plan.nodes[0].outputs[0], DType::kFloat16);
  EXPECT_EQ(plan.nodes[1].outputs[0], DType::kFloat32);
  EXPECT_THAT(NodesOnlyIn(other, one), ElementsAre("end"));
}

}  // namespace
}  // namespace halftone
