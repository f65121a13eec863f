// Anchors: the most precise plan that a target has.
#include "src/precision/resolve/anchor.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "src/base/error.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/random_cases.h"

namespace halftone {
namespace {

using testing::Homogeneous;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

// product -> relu
Graph ProductAndRelu() {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId product = builder.Node(OpKind::kMatMul, "product", {x, builder.Constant("w")});
  return builder.Finish({builder.Node(OpKind::kRelu, "relu", {product})});
}

// A target that runs products in these dtypes, and Relu in float16 and float32.
TargetSpec ProductsIn(const std::vector<DType>& dtypes) {
  TargetSpec target = MakeTarget({});
  for (const std::string_view type : IrTypesOf(OpKind::kMatMul)) {
    target.ai_core.emplace(type, Homogeneous(2, dtypes, MixPolicy::kGray, true));
  }
  for (const std::string_view type : IrTypesOf(OpKind::kRelu)) {
    target.ai_core.emplace(type, Homogeneous(1, {kF16, kF32}));
  }
  return target;
}

std::int64_t Float32Tensors(const PrecisionPlan& plan) {
  std::int64_t count = 0;
  for (const NodePrecision& node : plan.nodes) {
    count += std::ranges::count(node.inputs, NumericFormat(kF32)) +
             std::ranges::count(node.outputs, NumericFormat(kF32));
  }
  return count;
}

TEST(AnchorTest, IsFloat32WhereTheTargetHasIt) {
  const Graph graph = ProductAndRelu();
  const TargetSpec target = ProductsIn({kF16, kF32});
  EXPECT_NO_THROW(ResolvePrecision(graph, {.precision_mode = "must_keep_origin_dtype"}, target));
  const Anchor anchor = AnchorOf(graph, target);
  EXPECT_TRUE(anchor.is_float32());
  EXPECT_EQ(anchor.plan, ReferencePlan(graph));
}

// The product has float16 alone: relu stays in float32.
TEST(AnchorTest, IsTheModeThatLowersLeast) {
  const Graph graph = ProductAndRelu();
  const TargetSpec target = ProductsIn({kF16});
  const Anchor anchor = AnchorOf(graph, target);
  ASSERT_FALSE(anchor.is_float32());
  EXPECT_EQ(anchor.plan, ResolvePrecision(graph, {.precision_mode = anchor.name}, target));
  EXPECT_EQ(anchor.plan.nodes[0].compute_dtype(), kF16);
  EXPECT_EQ(anchor.plan.nodes[1].compute_dtype(), kF32) << anchor.name;
}

TEST(AnchorTest, IsFloat32WhereNoModeRuns) {
  const Graph graph = ProductAndRelu();
  EXPECT_TRUE(AnchorOf(graph, MakeTarget({})).is_float32());
}

TEST(AnchorTest, ModesInBFloat16AreOfTargetsThatHaveIt) {
  TargetSpec target = ProductsIn({kF16});
  target.has_bfloat16 = false;
  EXPECT_FALSE(AnchorOf(ProductAndRelu(), target).is_float32());
}

TEST(AnchorTest, NoModeHasMoreFloat32OnRandomTargets) {
  int of_modes = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Graph graph = testing::RandomGraph(rng);
    const TargetSpec target = testing::RandomTarget(rng);
    const Anchor anchor = AnchorOf(graph, target);
    if (anchor.is_float32()) {
      EXPECT_EQ(anchor.plan, ReferencePlan(graph));
      continue;
    }
    ++of_modes;
    EXPECT_EQ(anchor.plan, ResolvePrecision(graph, {.precision_mode = anchor.name}, target));
    for (const PrecisionMode& mode : AllPrecisionModes()) {
      if (mode.name.empty() || mode.narrow == nullptr) {
        continue;
      }
      try {
        EXPECT_LE(Float32Tensors(
                      ResolvePrecision(graph, {.precision_mode = std::string(mode.name)}, target)),
                  Float32Tensors(anchor.plan))
            << mode.name;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUnsupported) << error.what();
      }
    }
  }
  EXPECT_GT(of_modes, 50) << "random targets must lack float32 often enough for a check";
}

}  // namespace
}  // namespace halftone
