// Groups, edges and plans of small networks.
#include "search/space/decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/rng.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/host_target.h"
#include "src/ir/fused_operands.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "src/target/builtin_targets.h"
#include "tests/support/chain_network.h"
#include "tests/support/conv_norm_network.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using ::testing::ElementsAre;

std::vector<std::string> ChoiceNames(const DecisionGroup& group) {
  std::vector<std::string> names;
  for (const Choice& choice : group.choices) {
    names.push_back(NameOf(choice));
  }
  return names;
}

Assignment RandomAssignment(const Decisions& decisions, Rng& rng) {
  Assignment assignment;
  for (const DecisionGroup& group : decisions.groups()) {
    assignment.push_back(rng.Below(group.choices.size()));
  }
  return assignment;
}

TEST(DecisionsTest, EveryOperatorThatComputesIsAGroup) {
  const Graph graph = ChainNetwork(2);
  const TargetSpec target = ChainTarget();
  const Decisions decisions(graph, target);
  ASSERT_EQ(decisions.groups().size(), 4U);
  EXPECT_EQ(decisions.groups()[1].name, "act0");
  EXPECT_THAT(ChoiceNames(decisions.groups()[0]),
              ElementsAre("float32 high_precision", "float32 high_performance",
                          "float16 high_precision", "float16 high_performance",
                          "bfloat16 high_precision", "bfloat16 high_performance"));
  EXPECT_THAT(ChoiceNames(decisions.groups()[1]), ElementsAre("float32", "float16", "bfloat16"));
  EXPECT_THAT(decisions.edges(),
              ElementsAre(DecisionEdge{0, 1, 8}, DecisionEdge{1, 2, 8}, DecisionEdge{2, 3, 8}));
  EXPECT_THAT(decisions.input_elements(), ElementsAre(8, 0, 0, 0));
  EXPECT_THAT(decisions.output_elements(), ElementsAre(0, 0, 0, 8));
}

TEST(DecisionsTest, PinnedAndUnwantedChoicesAreGone) {
  const Graph graph = ChainNetwork(2);
  const TargetSpec target = ChainTarget();
  const Decisions decisions(graph, target,
                            {.formats = {DType::kBFloat16}, .pinned_keep_dtype = {"mm0"}});
  ASSERT_EQ(decisions.groups().size(), 3U);
  EXPECT_THAT(ChoiceNames(decisions.groups()[0]), ElementsAre("float32", "bfloat16"));
  EXPECT_EQ(decisions.PlanFor(decisions.Uniform({DType::kBFloat16})).node(0).compute_dtype(),
            DType::kFloat32);
}

// What is chosen is what an option set can say, and what the plan says is what was chosen.
TEST(DecisionsTest, AssignmentsArePlansAreOptionSets) {
  Rng rng(1);
  const Graph graph = ChainNetwork(5);
  for (const TargetSpec& target : {ChainTarget(), HostTarget()}) {
    const Decisions decisions(graph, target);
    for (int i = 0; i < 100; ++i) {
      const Assignment assignment = RandomAssignment(decisions, rng);
      const PrecisionPlan plan = decisions.PlanFor(assignment);
      EXPECT_EQ(decisions.AssignmentOf(plan), assignment);
      const WrittenConfiguration written = ConfigurationFor(graph, plan, target);
      EXPECT_EQ(ResolvePrecision(graph, written.options, target).Digest(), plan.Digest());
    }
  }
}

// On Ascend310P3 the convolution is float16 in every plan, and the norm that is joined with it too.
TEST(DecisionsTest, ANormThatTheTargetJoinsIsNotDecidedAlone) {
  const Graph graph = testing::ConvNormRelu();
  for (const auto& [soc, first] : {std::pair("Ascend310P3", "relu"), {"Ascend910B1", "conv"}}) {
    const TargetSpec target = FindSocVersion(soc)->ForSoc(soc);
    const Decisions decisions(graph, target);
    EXPECT_EQ(decisions.groups().front().name, first);
    Rng rng(1);
    for (int i = 0; i < 20; ++i) {
      const PrecisionPlan plan = decisions.PlanFor(RandomAssignment(decisions, rng));
      EXPECT_EQ(plan.node(0).outputs.at(0), plan.node(1).outputs.at(0)) << soc;
      EXPECT_EQ(ResolvePrecision(graph, ConfigurationFor(graph, plan, target).options, target),
                plan)
          << soc;
    }
  }
}

TEST(DecisionsTest, OnlyModesThatAreAskedForAreWritten) {
  const Graph graph = ChainNetwork(3);
  const TargetSpec target = ChainTarget();
  const Decisions decisions(graph, target);
  const PrecisionPlan plan = decisions.PlanFor(Assignment(decisions.groups().size(), 0));
  const std::vector<std::string> modes = {"force_fp16"};
  const WrittenConfiguration written = ConfigurationFor(graph, plan, target, modes);
  EXPECT_EQ(written.options.precision_mode, "force_fp16");
  EXPECT_EQ(ResolvePrecision(graph, written.options, target).Digest(), plan.Digest());
}

// The network with a Reshape behind its first activation, which mm1 and a second reader read.
Graph WithReshape() {
  Graph graph = ChainNetwork(2);
  const ValueId source = graph.nodes[1].outputs[0];
  Tensor shape(DType::kInt64, Shape{2});
  shape.mutable_values<std::int64_t>()[0] = 1;
  shape.mutable_values<std::int64_t>()[1] = 8;
  const ValueId target_shape = graph.AddValue({"shape", shape.type(), shape});
  const ValueId moved = graph.AddValue({"moved", graph.value(source).type, {}});
  Node reshape;
  reshape.op = OpKind::kReshape;
  reshape.name = "reshape";
  reshape.origins = {{"reshape", "Reshape"}};
  reshape.inputs = {source, target_shape};
  reshape.outputs = {moved};
  graph.nodes[2].inputs[0] = moved;
  graph.nodes.insert(graph.nodes.begin() + 2, reshape);
  return graph;
}

TEST(DecisionsTest, WhatOnlyMovesDataFollowsItsProducer) {
  const Graph graph = WithReshape();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  ASSERT_EQ(decisions.groups().size(), 4U);
  EXPECT_EQ(decisions.FollowedBy(2), std::optional<std::size_t>(1));
  EXPECT_EQ(decisions.GroupOf(2), std::nullopt);
  EXPECT_EQ(decisions.edges()[1], (DecisionEdge{1, 2, 8}));
  Assignment assignment(4, 0);
  const auto& choices = decisions.groups()[1].choices;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    assignment[1] = c;
    EXPECT_EQ(decisions.PlanFor(assignment).node(2).outputs[0], choices[c].output_format());
  }
}

TEST(DecisionsTest, SharedWeightsAreDecidedTogether) {
  Graph graph = ChainNetwork(2);
  // 8 x 8 weights tie nothing: they are no larger than a bias could be.
  graph.nodes[2].inputs[1] = graph.nodes[0].inputs[1];
  const TargetSpec target = ChainTarget();
  EXPECT_EQ(Decisions(graph, target).groups().size(), 4U);
  Tensor large(DType::kFloat32, Shape{16, 16});
  graph.value(graph.nodes[0].inputs[1]).type = large.type();
  graph.value(graph.nodes[0].inputs[1]).constant = large;
  const Decisions decisions(graph, target);
  ASSERT_EQ(decisions.groups().size(), 3U);
  EXPECT_THAT(decisions.groups()[0].nodes, ElementsAre(0, 2));
}

// The result of the first activation is added to that of the third product, in one step with it.
Graph WithResidual() {
  Graph graph = ChainNetwork(3);
  graph.fusions_off.erase("fuse_residual");
  const ValueId product = graph.nodes[4].outputs[0];
  const ValueId sum = graph.AddValue({"sum", graph.value(product).type, {}});
  Node add;
  add.op = OpKind::kAdd;
  add.name = "add";
  add.origins = {{"add", "Add"}};
  add.inputs = {product, graph.nodes[1].outputs[0]};
  add.outputs = {sum};
  graph.nodes[5].inputs[0] = sum;
  graph.nodes.insert(graph.nodes.begin() + 5, add);
  return graph;
}

TEST(DecisionsTest, AResidualOperandHasTheDTypeOfTheResult) {
  const Graph graph = WithResidual();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  ASSERT_EQ(decisions.groups().size(), 6U) << "product and sum are decided together";
  EXPECT_EQ(decisions.groups()[4].name, "mm2");
  EXPECT_THAT(decisions.groups()[4].nodes, ElementsAre(4, 5));
  EXPECT_THAT(decisions.edges(),
              ElementsAre(DecisionEdge{0, 1, 8}, DecisionEdge{1, 2, 8}, DecisionEdge{1, 4, 0, 8},
                          DecisionEdge{2, 3, 8}, DecisionEdge{3, 4, 8}, DecisionEdge{4, 5, 8}));
  Assignment assignment(6, 0);
  const auto& choices = decisions.groups()[4].choices;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    assignment[4] = c;
    const PrecisionPlan plan = decisions.PlanFor(assignment);
    EXPECT_EQ(plan.node(4).inputs[0], choices[c].format);
    EXPECT_EQ(plan.node(5).inputs[1], choices[c].output_format()) << NameOf(choices[c]);
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    EXPECT_EQ(fused.graph.nodes.size(), 6U) << NameOf(choices[c]) << " takes the step apart";
  }
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    const Assignment random = RandomAssignment(decisions, rng);
    const PrecisionPlan plan = decisions.PlanFor(random);
    EXPECT_EQ(decisions.AssignmentOf(plan), random);
    EXPECT_EQ(ResolvePrecision(graph, ConfigurationFor(graph, plan, target).options, target), plan);
  }
}

// Those that run as one step are one group, whatever makes the step.
TEST(DecisionsTest, OperatorsOfOneStepAreDecidedTogether) {
  Graph graph = ChainNetwork(3);
  graph.fusions_off.clear();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  ASSERT_EQ(decisions.groups().size(), 4U);
  EXPECT_THAT(decisions.groups()[0].nodes, ElementsAre(0, 1));
  EXPECT_THAT(decisions.groups()[1].nodes, ElementsAre(2, 3));
  EXPECT_THAT(decisions.groups()[2].nodes, ElementsAre(4));
  EXPECT_THAT(decisions.groups()[3].nodes, ElementsAre(5)) << "Softmax goes into no product";
  for (const Choice& choice : decisions.AllChoices()) {
    const PrecisionPlan plan = decisions.PlanFor(decisions.Uniform(choice));
    EXPECT_EQ(FuseByPlan(graph, plan, nullptr).graph.nodes.size(), 4U) << NameOf(choice);
    EXPECT_EQ(decisions.AssignmentOf(plan), decisions.Uniform(choice)) << NameOf(choice);
  }
}

TEST(DecisionsTest, AnotherImplementationRunsOtherwise) {
  const Graph graph = ChainNetwork(2);
  const TargetSpec target = ChainTarget();  // a CPU may have one implementation
  const Decisions decisions(graph, target);
  PrecisionPlan plan =
      ResolvePrecision(graph, {.precision_mode = "force_fp16", .op_precision_given = true}, target);
  const Assignment assignment = decisions.AssignmentOf(plan);
  EXPECT_TRUE(decisions.RunsAs(plan, assignment));
  ImplMode& mode = plan.nodes[0].impl_mode;
  ASSERT_EQ(mode, ImplMode::kHighPerformance);
  mode = ImplMode::kHighPrecision;
  EXPECT_FALSE(decisions.RunsAs(plan, assignment));
}

TEST(DecisionsTest, ViewsRunAlikeInAnyDType) {
  const Graph graph = WithReshape();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  const Assignment assignment(decisions.groups().size(), 0);
  PrecisionPlan plan = decisions.PlanFor(assignment);
  plan.nodes[2].inputs[0] = plan.nodes[2].outputs[0] = DType::kFloat16;
  EXPECT_TRUE(decisions.RunsAs(plan, assignment));
  plan.nodes[1].inputs[0] = plan.nodes[1].outputs[0] = DType::kFloat16;
  EXPECT_FALSE(decisions.RunsAs(plan, assignment));
}

TEST(DecisionsTest, OneImplementationIsTheMostExactOne) {
  const Graph graph = ChainNetwork(2);
  const TargetSpec target = ChainTarget();
  const Decisions decisions(graph, target, {.implementations = false});
  EXPECT_THAT(
      ChoiceNames(decisions.groups()[0]),
      ElementsAre("float32 high_precision", "float16 high_precision", "bfloat16 high_precision"));
}

}  // namespace
}  // namespace halftone
