// Networks with a residual sum before and after the fusion: by how much their results differ.
#include "src/passes/fuse/fuse_residual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/passes/fuse/fuse_activation.h"
#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"
#include "tests/support/graph_pass.h"

namespace halftone {
namespace {

using testing::HalfSubnormalStep;
using testing::Net;
using testing::NodesOf;
using testing::UnitRoundoff;

struct Case {
  const char* name;
  testing::GraphPass pass;
  ValueId (*sum)(Net& net, ValueId x, ValueId w, ValueId r);
  const char* after;
};

ValueId Add(Net& net, ValueId a, ValueId b) {
  return net.Add(OpKind::kAdd, "add", {a, b});
}

void Both(Graph& graph) {
  FuseResidual(graph);
  FuseActivation(graph);
  FuseResidualAfterActivation(graph);
}

const Case kCases[] = {
    {"Before", FuseResidual,
     [](Net& net, ValueId x, ValueId w, ValueId r) {
       return Add(net, net.Add(OpKind::kConv, "conv", {x, w}), r);
     },
     "Conv[conv+add]"},
    {"BeforeRelu", Both,
     [](Net& net, ValueId x, ValueId w, ValueId r) {
       return net.Add(OpKind::kRelu, "relu", {Add(net, r, net.Add(OpKind::kConv, "conv", {x, w}))});
     },
     "Conv[conv+add+relu]"},
    {"AfterRelu", Both,
     [](Net& net, ValueId x, ValueId w, ValueId r) {
       const ValueId conv = net.Add(OpKind::kConv, "conv", {x, w});
       return Add(net, net.Add(OpKind::kRelu, "relu", {conv}), r);
     },
     "Conv[conv+relu+add]"},
};

class FuseResidualTest : public ::testing::TestWithParam<Case> {};

// 5 products of at most 1 each: the result of the convolution is at most 5, its rounding 5 u; one
// rounding of each sum, 2 u |y|, and another u^2 of each. Relu has slope 1.
TEST_P(FuseResidualTest, AgreesWithTheNodes) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Net net;
    const ValueId x = net.Input("x", {2, 5, 7, 9}, dtype);
    const ValueId r = net.Input("r", {2, 6, 7, 9}, dtype);
    const ValueId w = net.Weights("w", {6, 5, 1, 1}, -1, 1, dtype);
    const Graph before = net.Finish({c.sum(net, x, w, r)});
    Graph after = before;
    c.pass(after);
    EXPECT_EQ(NodesOf(after), c.after);
    testing::ExpectSettled(before, after, c.pass);
    const double u = UnitRoundoff(dtype);
    testing::ExpectAgreement(
        before, after, testing::RandomInputs(before, 5), [&](std::int64_t, double y) {
          return (1 + u) * (5 * u + 2 * u * std::abs(y)) + 3 * HalfSubnormalStep(dtype);
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Places, FuseResidualTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// x has the shape of the result.
struct ResidualNet : Net {
  ValueId x = Input("x", {2, 4, 3, 5});
  ValueId conv = Conv("conv", x, 4);

  ValueId Plus(ValueId a, ValueId b, const std::string& name = "add") {
    return Add(OpKind::kAdd, name, {a, b});
  }
};

Graph ResidualBlock() {
  ResidualNet net;
  const ValueId other = net.Add(OpKind::kAbs, "abs", {net.x});
  return net.Finish({net.Add(OpKind::kRelu, "relu", {net.Plus(net.conv, other)})});
}

Graph TwoBranches() {
  Net net;
  const ValueId x = net.Image();
  const ValueId a = net.Conv("a", x, 6);
  const ValueId b = net.Conv("b", x, 6);
  return net.Finish({net.Add(OpKind::kAbs, "abs", {net.Add(OpKind::kAdd, "add", {a, b})})});
}

Graph ResidualMadeLater() {
  ResidualNet net;
  const ValueId other = net.Add(OpKind::kAbs, "abs", {net.x});
  return net.Finish({net.Plus(net.Add(OpKind::kNeg, "neg", {other}), net.conv)});
}

Graph MatMulResidual() {
  Net net;
  const ValueId product =
      net.Add(OpKind::kMatMul, "matmul", {net.Input("x", {2, 3, 4}), net.Weights("w", {4, 5})});
  return net.Finish({net.Add(OpKind::kAdd, "add", {net.Input("r", {2, 3, 5}), product})});
}

Graph TwoResiduals() {
  ResidualNet net;
  return net.Finish({net.Plus(net.Plus(net.conv, net.x), net.x, "add2")});
}

Graph BroadcastResidual() {
  ResidualNet net;
  return net.Finish({net.Plus(net.conv, net.Input("r", {2, 4, 1, 5}))});
}

Graph ResidualReadTwice() {
  ResidualNet net;
  return net.Finish({net.Plus(net.conv, net.x), net.Add(OpKind::kAbs, "abs", {net.conv})});
}

Graph SumWithItself() {
  ResidualNet net;
  return net.Finish({net.Plus(net.conv, net.conv)});
}

Graph ConstantResidual() {
  ResidualNet net;
  return net.Finish({net.Plus(net.conv, net.Weights("c", {2, 4, 3, 5}))});
}

Graph ActivatedResidual() {
  ResidualNet net;
  return net.Finish({net.Plus(net.x, net.Add(OpKind::kRelu, "relu", {net.conv}))});
}

Graph ResidualBatchNorm() {
  ResidualNet net;
  return net.Finish({net.BatchNorm("bn", net.Plus(net.conv, net.x), 4)});
}

struct GraphCase {
  const char* name;
  testing::GraphPass pass;
  Graph (*make)();
  const char* after;
};

const GraphCase kGraphs[] = {
    {"fuses_residual", FuseResidual, ResidualBlock, "Abs[abs] Conv[conv+add] Relu[relu]"},
    {"fuses_residual_into_the_later", FuseResidual, TwoBranches, "Conv[a] Conv[b+add] Abs[abs]"},
    {"moves_the_operator_behind_the_residual", FuseResidual, ResidualMadeLater,
     "Abs[abs] Neg[neg] Conv[conv+add]"},
    {"fuses_residual_of_matmul", FuseResidual, MatMulResidual, "MatMul[matmul+add]"},
    {"keeps_second_residual", FuseResidual, TwoResiduals, "Conv[conv+add] Add[add2]"},
    {"keeps_residual_that_broadcasts", FuseResidual, BroadcastResidual, "Conv[conv] Add[add]"},
    {"keeps_residual_of_a_value_read_twice", FuseResidual, ResidualReadTwice,
     "Conv[conv] Add[add] Abs[abs]"},
    {"keeps_sum_with_itself", FuseResidual, SumWithItself, "Conv[conv] Add[add]"},
    {"keeps_constant_residual", FuseResidual, ConstantResidual, "Conv[conv] Add[add]"},
    {"keeps_residual_behind_activation", FuseResidual, ActivatedResidual,
     "Conv[conv] Relu[relu] Add[add]"},
    {"fuses_residual_behind_activation", [](Graph& graph) { Optimize(graph); }, ActivatedResidual,
     "Conv[conv+relu+add]"},
    {"fuses_activation_behind_residual", [](Graph& graph) { Optimize(graph); }, ResidualBlock,
     "Abs[abs] Conv[conv+add+relu]"},
    {"keeps_batch_norm_behind_residual", [](Graph& graph) { Optimize(graph); }, ResidualBatchNorm,
     "Conv[conv+add] BatchNormalization[bn]"},
};

class FuseResidualGraphs : public ::testing::TestWithParam<GraphCase> {};

TEST_P(FuseResidualGraphs, AreFusedAsExpected) {
  const Graph before = GetParam().make();
  Graph after = before;
  GetParam().pass(after);
  EXPECT_EQ(NodesOf(after), GetParam().after);
  testing::ExpectSettled(before, after, GetParam().pass);
}

INSTANTIATE_TEST_SUITE_P(Graphs, FuseResidualGraphs, ::testing::ValuesIn(kGraphs),
                         [](const auto& row) { return std::string(row.param.name); });

// A sum in float16 that is infinite before the residual brings it back is finite in one node.
TEST(FuseResidual, AnIntermediateOverflowIsNone) {
  Net net;
  const ValueId x = net.Input("x", {1, 1, 1, 1}, DType::kFloat16);
  const ValueId r = net.Input("r", {1, 1, 1, 1}, DType::kFloat16);
  const ValueId w = net.Number(2, DType::kFloat16, {1, 1, 1, 1});
  const Graph before = net.Finish({Add(net, net.Add(OpKind::kConv, "conv", {x, w}), r)});
  Graph after = before;
  FuseResidual(after);
  Tensor large(DType::kFloat16, {1, 1, 1, 1});
  Tensor negative(DType::kFloat16, {1, 1, 1, 1});
  StoreDouble(DType::kFloat16, large.mutable_data(), 0, 40000);
  StoreDouble(DType::kFloat16, negative.mutable_data(), 0, -40000);
  EXPECT_TRUE(std::isinf(DoublesOf(testing::Evaluate(before, {large, negative}).outputs[0])[0]));
  EXPECT_EQ(DoublesOf(testing::Evaluate(after, {large, negative}).outputs[0])[0], 40000);
}

}  // namespace
}  // namespace halftone
