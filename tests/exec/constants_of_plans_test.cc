// Constants that 16 or 8 bits cannot hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/exec/finite_constants.h"
#include "src/exec/integer_steps.h"
#include "src/exec/vanished_constants.h"
#include "src/quantization/schemes.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr float kInf = std::numeric_limits<float>::infinity();
const NumericFormat kInt8 = *NumericFormat::Named("qint8");

Tensor Floats(Shape shape, std::vector<float> values) {
  return Tensor::From<float>(std::move(shape), values);
}

PrecisionPlan AllIn(const Graph& graph, NumericFormat format) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.inputs.assign(node.inputs.size(), format);
    node.outputs.assign(node.outputs.size(), format);
  }
  return plan;
}

// x / max(x * scale, eps)
Graph Division(float eps) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId scaled =
      builder.Add(OpKind::kMul, "scaled", {x, builder.Constant("scale", Floats({}, {0.5F}))});
  const ValueId bounded =
      builder.Add(OpKind::kMax, "bounded", {scaled, builder.Constant("eps", Floats({}, {eps}))});
  return builder.Finish({builder.Add(OpKind::kDiv, "ratio", {x, bounded})});
}

TEST(VanishedConstants, AreThoseOfWhichNothingIsLeft) {
  const Graph graph = Division(1e-12F);
  const auto vanished = VanishedConstants(graph, AllIn(graph, DType::kFloat16));
  ASSERT_THAT(vanished, SizeIs(1));
  EXPECT_EQ(Describe(vanished[0]),
            "node 'bounded' reads constant 'eps' (1e-12) in float16, where it is 0");
  // bfloat16 has the exponents of float32.
  EXPECT_THAT(VanishedConstants(graph, AllIn(graph, DType::kBFloat16)), IsEmpty());
  EXPECT_THAT(VanishedConstants(graph, ReferencePlan(graph)), IsEmpty());
  const Graph larger = Division(1e-6F);  // 17 of the smallest number of float16
  EXPECT_THAT(VanishedConstants(larger, AllIn(larger, DType::kFloat16)), IsEmpty());
}

TEST(VanishedConstants, AreFoundBeforeTheNodeThatDivides) {
  const Graph graph = Division(1e-12F);
  const auto ratio = static_cast<NodeId>(std::ranges::find(graph.nodes, "ratio", &Node::name) -
                                         graph.nodes.begin());
  const auto before = VanishedBefore(graph, AllIn(graph, DType::kFloat16), ratio);
  ASSERT_THAT(before, SizeIs(1));
  EXPECT_EQ(before[0].node_name, "bounded");
}

TEST(VanishedConstants, ZerosAndSomeSmallElementsAreNone) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {3});
  const ValueId zeros =
      builder.Add(OpKind::kAdd, "zeros", {x, builder.Constant("z", Floats({3}, {0, 0, 0}))});
  const Graph graph = builder.Finish({builder.Add(
      OpKind::kMul, "some", {zeros, builder.Constant("s", Floats({3}, {1, 1e-12F, 0}))})});
  EXPECT_THAT(VanishedConstants(graph, AllIn(graph, DType::kFloat16)), IsEmpty());
}

Graph Product(std::vector<float> weights, float bias) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  return builder.Finish({builder.Add(OpKind::kGemm, "fc",
                                     {x, builder.Constant("w", Floats({2, 2}, std::move(weights))),
                                      builder.Constant("b", Floats({2}, {0, bias}))})});
}

// The integer step of the one node, in 8 bits.
bool HasStep(const Graph& graph) {
  Quantization quantization;
  for (const Value& value : graph.values) {
    if (!value.constant) {
      quantization.activations[value.name] = ActivationScaleOf({-4, 4});
    }
  }
  SharedConstants constants;
  return IntegerStepOf(graph, graph.nodes[0], AllIn(graph, kInt8).nodes[0], quantization, constants)
      .has_value();
}

TEST(FiniteConstants, WeightsAndBiasesThatAreNotStayOutOf8Bits) {
  const Graph ordinary = Product({1, 2, 3, 4}, 1);
  EXPECT_TRUE(HasStep(ordinary));
  EXPECT_THAT(NonFiniteConstants(ordinary), IsEmpty());
  for (const float bad : {kInf, -kInf, std::nanf("")}) {
    const Graph weights = Product({1, 2, 3, bad}, 1);
    EXPECT_FALSE(HasStep(weights)) << bad;
    EXPECT_THAT(NonFiniteConstants(weights), SizeIs(1)) << bad;
    EXPECT_FALSE(HasStep(Product({1, 2, 3, 4}, bad))) << bad;
  }
  EXPECT_EQ(Describe(NonFiniteConstants(Product({1, 2, 3, -kInf}, 1)).at(0)),
            "node 'fc' stays out of 8 bits: its constant 'w' holds -inf at element 3");
}

}  // namespace
}  // namespace halftone
