#include "src/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "src/base/hash.h"
#include "src/passes/fold/fold_batch_norm.h"
#include "src/passes/fuse/fuse_activation.h"
#include "src/passes/fuse/matmul_to_gemm.h"
#include "src/passes/rewrite/conv_transpose_to_conv.h"
#include "src/passes/rewrite/remove_dead_nodes.h"
#include "src/passes/rewrite/remove_identities.h"
#include "tests/support/evaluate.h"
#include "tests/support/graph_pass.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using testing::Evaluate;
using testing::Net;
using testing::NodesOf;
using testing::RandomInputs;
using testing::With;

struct PassCase {
  const char* name;
  testing::GraphPass pass;
  std::function<Graph()> make;
  const char* after;
};

class PassTest : public ::testing::TestWithParam<PassCase> {};

TEST_P(PassTest, GivesTheExpectedNodes) {
  Graph graph = GetParam().make();
  GetParam().pass(graph);
  EXPECT_EQ(NodesOf(graph), GetParam().after);
}

TEST_P(PassTest, ChangesNothingTheSecondTime) {
  Graph graph = GetParam().make();
  GetParam().pass(graph);
  const Hash128 once = HashOf(graph);
  GetParam().pass(graph);
  EXPECT_EQ(HashOf(graph), once);
}

TEST_P(PassTest, KeepsInputsAndOutputs) {
  const Graph before = GetParam().make();
  Graph after = before;
  GetParam().pass(after);
  ASSERT_EQ(after.outputs.size(), before.outputs.size());
  for (std::size_t i = 0; i < before.outputs.size(); ++i) {
    EXPECT_EQ(after.value(after.outputs[i]).name, before.value(before.outputs[i]).name);
    EXPECT_EQ(after.value(after.outputs[i]).type, before.value(before.outputs[i]).type);
  }
  EXPECT_EQ(after.inputs, before.inputs);
}

// Rounding of the folded weights: with k terms a sum, each off by at most 2 u relative to itself
// (one rounding of the weight, one of the product chain it replaces) and all terms within the
// largest output times the condition of the sum. These graphs have k <= 5 and no cancellation worse
// than 1e3, so 5 * 2 * 2^-24 * 1e3 = 6e-4 bounds the distance; a wrong formula gives 0.1 and more.
TEST_P(PassTest, KeepsWhatTheGraphComputes) {
  const Graph before = GetParam().make();
  Graph after = before;
  GetParam().pass(after);
  const auto inputs = RandomInputs(before, 1);
  const auto expected = Evaluate(before, inputs);
  if (!expected.missing.empty()) {
    GTEST_SKIP() << "no kernel for " << expected.missing;
  }
  const auto actual = Evaluate(after, inputs);
  ASSERT_EQ(actual.missing, "");
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
    EXPECT_LE(testing::RelativeDistance(expected.outputs[i], actual.outputs[i]), 6e-4);
  }
}

Graph ConvBatchNormRelu() {
  Net net;
  const ValueId y = net.BatchNorm("bn", net.Conv("conv", net.Image(), 6), 6);
  return net.Finish({net.Add(OpKind::kRelu, "relu", {y})});
}

Graph ConvWithAffineRun() {
  Net net;
  ValueId y = net.BatchNorm("bn", net.Conv("conv", net.Image(), 6), 6);
  y = net.Add(OpKind::kMul, "mul", {y, net.Weights("m", {6, 1, 1})});
  y = net.Add(OpKind::kAdd, "add", {net.Weights("a", {1, 6, 1, 1}), y});
  y = net.Add(OpKind::kSub, "sub", {y, net.Weights("s", {})});
  return net.Finish({net.Add(OpKind::kDiv, "div", {y, net.Weights("d", {1}, 1, 2)})});
}

Graph BatchNormWithAffineRun() {
  Net net;
  ValueId y = net.BatchNorm("bn", net.Image(), 4);
  y = net.Add(OpKind::kMul, "mul", {y, net.Weights("m", {4, 1, 1})});
  y = net.Add(OpKind::kAdd, "add", {y, net.Weights("a", {1, 4, 1, 1})});
  return net.Finish({net.Add(OpKind::kRelu, "relu", {y})});
}

Graph BatchNormAfterMul() {  // x m, then the norm: the Mul is not behind it
  Net net;
  const ValueId y = net.Add(OpKind::kMul, "mul", {net.Image(), net.Weights("m", {4, 1, 1})});
  return net.Finish({net.BatchNorm("bn", y, 4)});
}

using Ints = std::vector<std::int64_t>;

// Image 2x4x3x5; weights [4, channels / groups, ...].
Graph Transposed(std::int64_t groups, const Attributes& window) {
  Net net;
  Attributes attributes = window;
  attributes.Set("group", groups);
  const ValueId y = net.Add(
      OpKind::kConvTranspose, "spread",
      {net.Image(), net.Weights("w", {4, 6 / groups, 2, 3}), net.Weights("b", {6})}, attributes);
  return net.Finish({net.BatchNorm("bn", y, 6)});
}

Graph TransposedOfStrideOne() {
  Attributes window = With("pads", Ints{1, 0, 0, 2});
  window.Set("dilations", Ints{2, 2});
  return Transposed(2, window);
}

Graph ConvReadTwice() {
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 6);
  const ValueId norm = net.BatchNorm("bn", conv, 6);
  return net.Finish({net.Add(OpKind::kAdd, "add", {conv, norm})});
}

Graph ConvIsAnOutput() {
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 6);
  return net.Finish({net.BatchNorm("bn", conv, 6), conv});
}

Graph ConvPlusPicture() {  // the constant varies along the width, not the channels
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 6);
  return net.Finish({net.Add(OpKind::kAdd, "add", {conv, net.Weights("a", {5})})});
}

Graph DivisorIsNoConstantFactor() {  // c / y is not affine in y
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 6);
  return net.Finish({net.Add(OpKind::kDiv, "div", {net.Weights("a", {6, 1, 1}), conv})});
}

Graph BroadcastingAdd() {  // the Add makes the result larger: two images out of one
  Net net;
  const ValueId x = net.Input("x", {1, 4, 3, 5});
  const ValueId conv = net.Conv("conv", x, 6);
  return net.Finish({net.Add(OpKind::kAdd, "add", {conv, net.Weights("a", {2, 6, 1, 1})})});
}

Graph ConvClip(bool constant_bounds) {
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 6);
  const ValueId low = constant_bounds ? net.Weights("low", {}, -0.2, -0.1) : net.Input("low", {});
  return net.Finish(
      {net.Add(OpKind::kClip, "clip", {conv, low, net.Weights("high", {}, 0.1, 0.2)})});
}

Graph GemmRelu() {
  Net net;
  const ValueId gemm =
      net.Add(OpKind::kGemm, "gemm", {net.Input("x", {3, 4}), net.Weights("w", {4, 5})});
  return net.Finish({net.Add(OpKind::kRelu, "relu", {gemm})});
}

Graph MatMulBias(Shape left, Shape bias) {
  Net net;
  const ValueId product = net.Add(OpKind::kMatMul, "matmul",
                                  {net.Input("x", std::move(left)), net.Weights("w", {4, 5})});
  return net.Finish({net.Add(OpKind::kAdd, "add", {product, net.Weights("b", std::move(bias))})});
}

Graph DeadBranch() {
  Net net;
  const ValueId x = net.Image();
  const ValueId dead = net.Add(OpKind::kAbs, "dead1", {x});
  net.Add(OpKind::kSqrt, "dead2", {dead});
  return net.Finish({net.Add(OpKind::kNeg, "live", {x})});
}

Graph Identities() {
  Net net;
  ValueId y = net.Add(OpKind::kIdentity, "id1", {net.Image()});
  y = net.Add(OpKind::kIdentity, "id2", {y});
  y = net.Add(OpKind::kNeg, "neg", {y});
  y = net.Add(OpKind::kCast, "cast", {y}, With("to", std::int64_t{1}));
  y = net.Add(OpKind::kReshape, "reshape", {y, net.Integers("shape", {2, 4, 3, 5})});
  y = net.Add(OpKind::kTranspose, "transpose", {y},
              With("perm", std::vector<std::int64_t>{0, 1, 2, 3}));
  return net.Finish({net.Add(OpKind::kAbs, "abs", {y})});
}

Graph NoIdentities() {
  Net net;
  ValueId y = net.Add(OpKind::kCast, "cast", {net.Image()}, With("to", std::int64_t{11}));
  y = net.Add(OpKind::kTranspose, "transpose", {y});
  return net.Finish({net.Add(OpKind::kReshape, "reshape", {y, net.Integers("shape", {-1})})});
}

Graph IdentityMakesTheOutput() {  // the producer takes over the name; its other reader follows
  Net net;
  const ValueId neg = net.Add(OpKind::kNeg, "neg", {net.Image()});
  const ValueId other = net.Add(OpKind::kAbs, "abs", {neg});
  const ValueId copy = net.Add(OpKind::kIdentity, "id", {neg});
  return net.Finish({copy, other, net.Add(OpKind::kAbs, "abs2", {neg})});
}

Graph IdentityOfAnInput() {
  Net net;
  const ValueId x = net.Image();
  return net.Finish({net.Add(OpKind::kIdentity, "id", {x})});
}

Graph TwoOutputsFromOneValue() {
  Net net;
  const ValueId neg = net.Add(OpKind::kNeg, "neg", {net.Image()});
  const ValueId one = net.Add(OpKind::kIdentity, "id1", {neg});
  return net.Finish({one, net.Add(OpKind::kIdentity, "id2", {neg})});
}

Graph ConstantBranch() {
  Net net;
  const ValueId c = net.Add(OpKind::kNeg, "neg", {net.Weights("c", {4, 1, 1})});
  return net.Finish({net.Add(OpKind::kMul, "mul", {net.Image(), c})});
}

const PassCase kCases[] = {
    {"folds_constant_branch", FoldConstants, ConstantBranch, "Mul[mul]"},
    {"removes_dead_branch", RemoveDeadNodes, DeadBranch, "Neg[live]"},
    {"removes_identities", RemoveIdentities, Identities, "Neg[neg] Abs[abs]"},
    {"keeps_what_changes_data", RemoveIdentities, NoIdentities,
     "Cast[cast] Transpose[transpose] Reshape[reshape]"},
    {"keeps_name_of_output", RemoveIdentities, IdentityMakesTheOutput,
     "Neg[neg] Abs[abs] Abs[abs2]"},
    {"keeps_copy_of_input", RemoveIdentities, IdentityOfAnInput, "Identity[id]"},
    {"keeps_second_output", RemoveIdentities, TwoOutputsFromOneValue, "Neg[neg] Identity[id2]"},
    {"turns_transposed_of_stride_one", ConvTransposeToConv, TransposedOfStrideOne,
     "Conv[spread] BatchNormalization[bn]"},
    {"turns_transposed_same", ConvTransposeToConv,
     [] { return Transposed(1, With("auto_pad", std::string("SAME_LOWER"))); },
     "Conv[spread] BatchNormalization[bn]"},
    {"keeps_transposed_of_stride_two", ConvTransposeToConv,
     [] {
       return Transposed(1, With("strides", Ints{1, 2}));
     },
     "ConvTranspose[spread] BatchNormalization[bn]"},
    {"keeps_transposed_that_is_cut", ConvTransposeToConv,
     [] {
       return Transposed(1, With("pads", Ints{2, 0, 0, 0}));
     },
     "ConvTranspose[spread] BatchNormalization[bn]"},
    {"folds_batch_norm", FoldBatchNorm, ConvBatchNormRelu, "Conv[conv+bn] Relu[relu]"},
    {"folds_affine_run", FoldBatchNorm, ConvWithAffineRun, "Conv[conv+bn+mul+add+sub+div]"},
    {"folds_into_batch_norm", FoldBatchNorm, BatchNormWithAffineRun,
     "BatchNormalization[bn+mul+add] Relu[relu]"},
    {"keeps_what_stands_before_batch_norm", FoldBatchNorm, BatchNormAfterMul,
     "Mul[mul] BatchNormalization[bn]"},
    {"fuses_relu_into_batch_norm", FuseActivation,
     [] {
       Net net;
       return net.Finish({net.Add(OpKind::kRelu, "relu", {net.BatchNorm("bn", net.Image(), 4)})});
     },
     "BatchNormalization[bn+relu]"},
    {"keeps_conv_that_is_read_twice", FoldBatchNorm, ConvReadTwice,
     "Conv[conv] BatchNormalization[bn] Add[add]"},
    {"keeps_conv_that_is_an_output", FoldBatchNorm, ConvIsAnOutput,
     "Conv[conv] BatchNormalization[bn]"},
    {"keeps_add_along_width", FoldBatchNorm, ConvPlusPicture, "Conv[conv] Add[add]"},
    {"keeps_division_by_conv", FoldBatchNorm, DivisorIsNoConstantFactor, "Conv[conv] Div[div]"},
    {"keeps_broadcasting_add", FoldBatchNorm, BroadcastingAdd, "Conv[conv] Add[add]"},
    {"fuses_clip", FuseActivation, [] { return ConvClip(true); }, "Conv[conv+clip]"},
    {"keeps_clip_with_computed_bound", FuseActivation, [] { return ConvClip(false); },
     "Conv[conv] Clip[clip]"},
    {"fuses_relu_into_gemm", FuseActivation, GemmRelu, "Gemm[gemm+relu]"},
    {"makes_gemm", MatMulToGemm,
     [] {
       return MatMulBias({3, 4}, {5});
     },
     "Gemm[matmul+add]"},
    {"makes_gemm_of_row", MatMulToGemm,
     [] {
       return MatMulBias({3, 4}, {1, 5});
     },
     "Gemm[matmul+add]"},
    {"keeps_matmul_of_rank_3", MatMulToGemm,
     [] {
       return MatMulBias({2, 3, 4}, {5});
     },
     "MatMul[matmul] Add[add]"},
    {"keeps_matmul_with_column", MatMulToGemm,
     [] {
       return MatMulBias({3, 4}, {3, 1});
     },
     "MatMul[matmul] Add[add]"},
    {"optimizes_all", Optimize, ConvBatchNormRelu, "Conv[conv+bn+relu]"},
};

INSTANTIATE_TEST_SUITE_P(Cases, PassTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(FuseActivation, WritesTheBounds) {
  Graph clip = ConvClip(true);
  FuseActivation(clip);
  const StepActivation activation = clip.nodes.at(0).fusion.activation.value();
  EXPECT_EQ(activation.op, OpKind::kClip);
  EXPECT_THAT(activation.low, ::testing::AllOf(::testing::Ge(-0.2F), ::testing::Le(-0.1F)));
  EXPECT_THAT(activation.high, ::testing::AllOf(::testing::Ge(0.1F), ::testing::Le(0.2F)));
  Graph relu = GemmRelu();
  FuseActivation(relu);
  EXPECT_EQ(relu.nodes.at(0).fusion.activation,
            std::optional(StepActivation{.op = OpKind::kRelu, .low = 0}));
}

TEST(RemoveDeadNodes, ReleasesConstantsNobodyReads) {
  Graph graph = ConvBatchNormRelu();
  Optimize(graph);
  int constants = 0;
  for (const Value& value : graph.values) {
    constants += value.constant ? 1 : 0;
  }
  EXPECT_EQ(constants, 3);  // folded weights and bias, and the weights that the folded stand for
}

TEST(Passes, LongChainsNeedNoStack) {
  Net net;
  ValueId y = net.Image();
  for (int i = 0; i < 100'000; ++i) {
    y = net.Add(i % 2 == 0 ? OpKind::kIdentity : OpKind::kNeg, "n" + std::to_string(i), {y});
  }
  Graph graph = net.Finish({y});
  Optimize(graph);
  EXPECT_EQ(graph.nodes.size(), 50'000U);
}

}  // namespace
}  // namespace halftone
