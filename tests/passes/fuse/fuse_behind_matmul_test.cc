// What follows a matrix operator in transformers and mobile networks: biases of batches of products
// and activations, what is fused, what is not, and by how much the results differ.
#include <gtest/gtest.h>

#include <cmath>

#include "src/ir/fused_operands.h"
#include "src/passes/fuse/fuse_activation.h"
#include "src/passes/fuse/fuse_matmul_bias.h"
#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::HalfSubnormalStep;
using testing::Net;
using testing::NodesOf;
using testing::UnitRoundoff;
using testing::With;

Graph MatMulBias(Shape left, Shape bias, DType dtype = DType::kFloat32, Shape right = {4, 5}) {
  Net net;
  const ValueId product = net.Add(
      OpKind::kMatMul, "matmul",
      {net.Input("x", std::move(left), dtype), net.Weights("w", std::move(right), -1, 1, dtype)});
  return net.Finish(
      {net.Add(OpKind::kAdd, "add", {net.Weights("b", std::move(bias), -1, 1, dtype), product})});
}

struct BiasCase {
  const char* name;
  Graph (*make)();
  const char* after;
};

const BiasCase kBiases[] = {
    {"OnePerColumn",
     [] {
       return MatMulBias({2, 3, 4}, {5});
     },
     "MatMul[matmul+add]"},
    {"WithLeadingOnes",
     [] {
       return MatMulBias({2, 3, 4}, {1, 1, 5});
     },
     "MatMul[matmul+add]"},
    {"OneValue",
     [] {
       return MatMulBias({2, 3, 4}, {});
     },
     "MatMul[matmul+add]"},
    {"OfDifferentMatrices",
     [] {
       return MatMulBias({2, 3, 4}, {5}, DType::kFloat32, {2, 4, 5});
     },
     "MatMul[matmul+add]"},
    {"KeepsOnePerRow",
     [] {
       return MatMulBias({2, 3, 4}, {3, 1});
     },
     "MatMul[matmul] Add[add]"},
    {"KeepsWholeTensor",
     [] {
       return MatMulBias({2, 3, 4}, {2, 3, 5});
     },
     "MatMul[matmul] Add[add]"},
    {"KeepsWhatBroadcasts",
     [] {
       return MatMulBias({2, 3, 4}, {7, 1, 1, 5});
     },
     "MatMul[matmul] Add[add]"},
    {"KeepsMatrices",
     [] {
       return MatMulBias({3, 4}, {5});
     },
     "MatMul[matmul] Add[add]"},
};

class FuseMatMulBiasTest : public ::testing::TestWithParam<BiasCase> {};

TEST_P(FuseMatMulBiasTest, GivesTheExpectedNodes) {
  const Graph before = GetParam().make();
  Graph after = before;
  FuseMatMulBias(after);
  EXPECT_EQ(NodesOf(after), GetParam().after);
  testing::ExpectSettled(before, after, FuseMatMulBias);
}

INSTANTIATE_TEST_SUITE_P(Graphs, FuseMatMulBiasTest, ::testing::ValuesIn(kBiases),
                         [](const auto& row) { return std::string(row.param.name); });

// 4 products of at most 1 each: the product is at most 4, its rounding 4 u; one rounding of each
// sum.
TEST(FuseMatMulBias, AgreesWithTheNodes) {
  for (const DType dtype : testing::kFloatDTypes) {
    for (const Shape& bias : {Shape{5}, Shape{}}) {
      const Graph before = MatMulBias({7, 6, 4}, bias, dtype);
      Graph after = before;
      FuseMatMulBias(after);
      ASSERT_EQ(after.nodes.size(), 1U);
      const double u = UnitRoundoff(dtype);
      testing::ExpectAgreement(
          before, after, testing::RandomInputs(before, 3), [&](std::int64_t, double y) {
            return (1 + u) * (4 * u + 2 * u * std::abs(y)) + 3 * HalfSubnormalStep(dtype);
          });
    }
  }
}

struct FunctionCase {
  const char* name;
  OpKind op;
  double slope;
  Attributes (*attributes)() = [] { return Attributes(); };
};

const FunctionCase kFunctions[] = {
    {"Gelu", OpKind::kGelu, 1.13},
    {"GeluTanh", OpKind::kGelu, 1.13, [] { return With("approximate", std::string("tanh")); }},
    {"HardSigmoid", OpKind::kHardSigmoid, 0.75, [] { return With("alpha", 0.75F); }},
    {"HardSigmoidShifted", OpKind::kHardSigmoid, 0.2, [] { return With("beta", 0.25F); }},
    {"HardSwish", OpKind::kHardSwish, 1.5},
    {"LeakyRelu", OpKind::kLeakyRelu, 1, [] { return With("alpha", 0.3F); }},
    {"Mish", OpKind::kMish, 1.09},
    {"Sigmoid", OpKind::kSigmoid, 0.25},
    {"Swish", OpKind::kSwish, 1.1, [] { return With("alpha", 1.702F); }},
    {"Tanh", OpKind::kTanh, 1},
};

class FuseActivationFunctionTest : public ::testing::TestWithParam<FunctionCase> {};

TEST_P(FuseActivationFunctionTest, AgreesWithTheNodes) {
  const FunctionCase& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Net net;
    const ValueId conv = net.Add(
        OpKind::kConv, "conv",
        {net.Input("x", {2, 5, 7, 9}, dtype), net.Weights("w", {6, 5, 1, 1}, -1, 1, dtype)});
    const Graph before = net.Finish({net.Add(c.op, "act", {conv}, c.attributes())});
    Graph after = before;
    FuseActivationFunction(after);
    ASSERT_EQ(NodesOf(after), "Conv[conv+act]");
    testing::ExpectSettled(before, after, FuseActivationFunction);
    const double u = UnitRoundoff(dtype);
    testing::ExpectAgreement(
        before, after, testing::RandomInputs(before, 5), [&](std::int64_t, double y) {
          return (1 + u) * (c.slope * 5 * u + 2 * u * std::abs(y)) + 3 * HalfSubnormalStep(dtype);
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, FuseActivationFunctionTest, ::testing::ValuesIn(kFunctions),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(FuseActivationFunction, LeavesDepthwiseConvolutions) {
  Net net;
  const ValueId conv = net.Add(OpKind::kConv, "conv", {net.Image(), net.Weights("w", {4, 1, 3, 3})},
                               With("group", std::int64_t{4}));
  Graph graph = net.Finish({net.Add(OpKind::kSigmoid, "sigmoid", {conv})});
  FuseActivationFunction(graph);
  EXPECT_EQ(NodesOf(graph), "Conv[conv] Sigmoid[sigmoid]");
}

TEST(FuseActivationFunction, LeavesOtherFunctions) {
  Net net;
  Graph graph = net.Finish({net.Add(OpKind::kExp, "exp", {net.Conv("conv", net.Image(), 6)})});
  FuseActivationFunction(graph);
  EXPECT_EQ(NodesOf(graph), "Conv[conv] Exp[exp]");
}

// What a transformer has behind a product becomes part of it, whatever of it there is.
TEST(Optimize, MakesOneNodeOfAProductAndWhatFollows) {
  Net net;
  const ValueId x = net.Input("x", {2, 3, 4});
  const auto layer = [&](const std::string& name, ValueId in, Shape weights) {
    const std::int64_t columns = weights[1];
    const ValueId product =
        net.Add(OpKind::kMatMul, name, {in, net.Weights(name + ".w", std::move(weights))});
    return net.Add(OpKind::kAdd, name + ".bias", {product, net.Weights(name + ".b", {columns})});
  };
  const ValueId up = net.Add(OpKind::kGelu, "gelu", {layer("up", x, {4, 8})});
  Graph graph = net.Finish({net.Add(OpKind::kAdd, "residual", {x, layer("down", up, {8, 4})})});
  Optimize(graph);
  EXPECT_EQ(NodesOf(graph), "MatMul[up+up.bias+gelu] MatMul[down+down.bias+residual]");
  EXPECT_EQ(graph.nodes[1].inputs.size(), kResidualOperand + 1);
}

}  // namespace
}  // namespace halftone
