// Nodes whose step runs in another implementation mode than the plan gives them.
#include "src/exec/other_modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/passes/passes.h"
#include "tests/exec/fusion_rows.h"

namespace halftone {
namespace {

using namespace fusion_rows;  // NOLINT(google-build-using-namespace): of the samples
using ::testing::ElementsAre;
using ::testing::IsEmpty;

PrecisionPlan PlanWith(const Graph& graph, OpKind op, ImplMode of_op, ImplMode of_others) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    plan.nodes[n].impl_mode = graph.nodes[n].op == op ? of_op : of_others;
  }
  return plan;
}

NodeId NodeOf(const Graph& graph, OpKind op) {
  const auto found = std::ranges::find(graph.nodes, op, &Node::op);
  return static_cast<NodeId>(found - graph.nodes.begin());
}

// The products decide for the whole, which is at least as exact as each part.
TEST(OtherModes, ASoftmaxInAnAttentionOfExactProductsIsSaidToRunAsTheyDo) {
  const Graph graph = AttentionWithHeads();
  const PrecisionPlan plan =
      PlanWith(graph, OpKind::kSoftmax, ImplMode::kHighPerformance, ImplMode::kHighPrecision);
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  ASSERT_EQ(fused.graph.nodes.back().op, OpKind::kAttention);
  EXPECT_EQ(fused.plan.nodes.back().impl_mode, ImplMode::kHighPrecision);
  EXPECT_THAT(OtherModes(plan, fused),
              ElementsAre(OtherMode{.node = NodeOf(graph, OpKind::kSoftmax),
                                    .planned = ImplMode::kHighPerformance,
                                    .runs = ImplMode::kHighPrecision,
                                    .step = fused.graph.nodes.size() - 1}));
}

TEST(OtherModes, AFunctionBehindAConvRunsInHighPrecisionWhateverTheConvDoes) {
  const Graph graph = ConvThen(OpKind::kGelu);
  for (const ImplMode conv : {ImplMode::kDefault, ImplMode::kHighPrecision}) {
    const PrecisionPlan plan = PlanWith(graph, OpKind::kGelu, ImplMode::kHighPerformance, conv);
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    ASSERT_EQ(fused.graph.nodes.size(), 1U);
    EXPECT_THAT(OtherModes(plan, fused),
                ElementsAre(OtherMode{.node = NodeOf(graph, OpKind::kGelu),
                                      .planned = ImplMode::kHighPerformance,
                                      .runs = ImplMode::kHighPrecision,
                                      .step = 0}));
  }
}

TEST(OtherModes, NodesInTheirOwnModeAndNodesWithoutOneAreNotNamed) {
  const Graph graph = ConvThen(OpKind::kGelu);
  for (const ImplMode gelu : {ImplMode::kDefault, ImplMode::kHighPrecision}) {
    const PrecisionPlan plan = PlanWith(graph, OpKind::kGelu, gelu, ImplMode::kDefault);
    EXPECT_THAT(OtherModes(plan, FuseByPlan(graph, plan, nullptr)), IsEmpty());
  }
  Graph apart = graph;
  apart.fusions_off.insert("fuse_activation_function");
  const PrecisionPlan plan =
      PlanWith(apart, OpKind::kGelu, ImplMode::kHighPerformance, ImplMode::kDefault);
  EXPECT_THAT(OtherModes(plan, FuseByPlan(apart, plan, nullptr)), IsEmpty());
}

}  // namespace
}  // namespace halftone
