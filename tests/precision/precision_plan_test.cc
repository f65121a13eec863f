#include "src/precision/precision_plan.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kS64 = DType::kInt64;

PrecisionPlan OneNode() {
  PrecisionPlan plan;
  plan.nodes.push_back({.engine = Engine::kAiCore,
                        .inputs = {kF16, kF16},
                        .outputs = {kF32},
                        .impl_mode = ImplMode::kHighPrecision,
                        .reason = "a"});
  return plan;
}

struct ChangeCase {
  const char* name;
  std::function<void(PrecisionPlan&)> change;
};

class DigestOf : public ::testing::TestWithParam<ChangeCase> {};

TEST_P(DigestOf, ChangesWithThePlan) {
  PrecisionPlan changed = OneNode();
  GetParam().change(changed);
  EXPECT_FALSE(changed == OneNode());
  EXPECT_NE(changed.Digest(), OneNode().Digest());
}

INSTANTIATE_TEST_SUITE_P(
    Parts, DigestOf,
    ::testing::Values(
        ChangeCase{"Engine", [](auto& plan) { plan.nodes[0].engine = Engine::kAiCpu; }},
        ChangeCase{"Input", [](auto& plan) { plan.nodes[0].inputs[1] = kF32; }},
        ChangeCase{"Output", [](auto& plan) { plan.nodes[0].outputs[0] = kF16; }},
        ChangeCase{"Mode", [](auto& plan) { plan.nodes[0].impl_mode = ImplMode::kDefault; }},
        ChangeCase{"Count", [](auto& plan) { plan.nodes.push_back(plan.nodes[0]); }},
        ChangeCase{"InputBecomesOutput",
                   [](auto& plan) {
                     plan.nodes[0].inputs = {kF16};
                     plan.nodes[0].outputs = {kF16, kF32};
                   }}),
    [](const auto& row) { return row.param.name; });

TEST(PrecisionPlan, ReasonsAndWarningsDoNotCount) {
  PrecisionPlan other = OneNode();
  other.nodes[0].reason = "b";
  other.warnings = {"w"};
  EXPECT_EQ(other, OneNode());
  EXPECT_EQ(other.Digest(), OneNode().Digest());
}

// Part of the keys of the knowledge base: a change of this value is a change of its format.
TEST(PrecisionPlan, DigestIsStable) {
  EXPECT_EQ(OneNode().Digest().ToHex(), "fcd60e73b7ac51ef20431f6325c6b012");
}

TEST(NodePrecision, ComputeDTypeIsTheFirstTunableOperand) {
  const auto compute = [](std::vector<NumericFormat> inputs, std::vector<NumericFormat> outputs) {
    return NodePrecision{.inputs = std::move(inputs), .outputs = std::move(outputs), .reason = {}}
        .compute_dtype();
  };
  EXPECT_EQ(compute({DType::kBool, kF16, kF32}, {kF32}), kF16);
  EXPECT_EQ(compute({kS64}, {kF16}), kF16);
  EXPECT_EQ(compute({DType::kInt32}, {kS64}), kS64);
  EXPECT_EQ(compute({}, {}), kF32);
}

TEST(ReferencePlan, IsFloat32AlsoForHalfModels) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x", kF16);
  const ValueId relu = builder.Node(OpKind::kClip, "clip", {x, kNoValue}, kF16);
  const ValueId cast = builder.Node(OpKind::kCast, "cast", {relu}, DType::kBFloat16);
  const ValueId indices = builder.Constant("indices", kS64);
  const ValueId gather = builder.Node(OpKind::kGather, "gather", {cast, indices}, DType::kBFloat16);
  const PrecisionPlan plan = ReferencePlan(builder.Finish({gather}));
  ASSERT_EQ(plan.nodes.size(), 3U);
  EXPECT_EQ(plan.nodes[0].inputs, (std::vector<NumericFormat>{kF32, kF32}));
  EXPECT_EQ(plan.nodes[1].outputs, (std::vector<NumericFormat>{kF32}));
  EXPECT_EQ(plan.nodes[2].inputs, (std::vector<NumericFormat>{kF32, kS64}));
  for (const NodePrecision& node : plan.nodes) {
    EXPECT_EQ(node.engine, Engine::kAiCore);
    EXPECT_EQ(node.impl_mode, ImplMode::kHighPrecision);
  }
}

}  // namespace
}  // namespace halftone
