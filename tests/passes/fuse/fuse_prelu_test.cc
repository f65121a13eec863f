// PRelu behind convolutions and products: where its slopes are part of the operator before, where
// not, and by how much the results differ.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/passes/fuse/fuse_activation.h"
#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::HalfSubnormalStep;
using testing::Net;
using testing::NodesOf;
using testing::UnitRoundoff;
using testing::With;

constexpr double kLargestSlope = 1.5;
constexpr double kTerms = 9;  // products of at most 1 each, of any sum here

struct Case {
  const char* name;
  OpKind op;
  Shape x;
  Shape w;
  Shape slope;
  std::int64_t group = 1;
  bool is_fused = true;
};

const Case kCases[] = {
    {"OfAllChannels", OpKind::kConv, {2, 5, 7, 9}, {6, 5, 1, 1}, {}},
    {"OfAllChannelsOneAxis", OpKind::kConv, {2, 5, 7, 9}, {6, 5, 1, 1}, {1}},
    {"OfEachChannel", OpKind::kConv, {2, 5, 7, 9}, {6, 5, 1, 1}, {6, 1, 1}},
    {"OfEachChannelWholeRank", OpKind::kConv, {2, 5, 7, 9}, {6, 5, 1, 1}, {1, 6, 1, 1}},
    {"OfEachChannelOfSequences", OpKind::kConv, {2, 3, 9}, {7, 3, 3}, {7, 1}},
    {"OfEachChannelOfVolumes", OpKind::kConv, {1, 2, 3, 4, 5}, {3, 2, 1, 2, 2}, {3, 1, 1, 1}},
    {"OfDepthwise", OpKind::kConv, {1, 4, 5, 6}, {4, 1, 3, 3}, {4, 1, 1}, 4},
    {"OfGroups", OpKind::kConv, {1, 4, 5, 6}, {6, 2, 2, 2}, {6, 1, 1}, 2},
    {"OfEachColumn", OpKind::kMatMul, {2, 3, 4}, {4, 5}, {5}},
    {"OfEachColumnOfGemm", OpKind::kGemm, {3, 4}, {4, 5}, {1, 5}},
    {"OfVector", OpKind::kMatMul, {3, 4}, {4}, {1}},
    {"KeepsOneOfEachPixel", OpKind::kConv, {2, 5, 7, 9}, {9, 5, 1, 1}, {9}, 1, false},
    {"KeepsOneOfEachElement", OpKind::kConv, {1, 5, 2, 2}, {3, 5, 1, 1}, {3, 2, 2}, 1, false},
    {"KeepsOneOfEachRow", OpKind::kMatMul, {2, 5, 4}, {4, 5}, {5, 1}, 1, false},
    {"KeepsOneOfEachRowOfVector", OpKind::kMatMul, {3, 4}, {4}, {3}, 1, false},
};

Graph GraphOf(const Case& c, DType dtype) {
  Net net;
  const Attributes attributes = c.op == OpKind::kConv ? With("group", c.group) : Attributes();
  const ValueId main = net.Add(
      c.op, "main", {net.Input("x", c.x, dtype), net.Weights("w", c.w, -1, 1, dtype)}, attributes);
  const ValueId slope = net.Weights("slope", c.slope, -kLargestSlope, kLargestSlope, dtype);
  return net.Finish({net.Add(OpKind::kPRelu, "prelu", {main, slope})});
}

class FusePReluTest : public ::testing::TestWithParam<Case> {};

TEST_P(FusePReluTest, AgreesWithTheNodes) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    const Graph before = GraphOf(c, dtype);
    Graph after = before;
    FuseActivationFunction(after);
    ASSERT_EQ(after.nodes.size(), c.is_fused ? 1U : 2U);
    testing::ExpectSettled(before, after, FuseActivationFunction);
    if (!c.is_fused) {
      continue;
    }
    EXPECT_EQ(NodesOf(after).substr(NodesOf(after).find('[')), "[main+prelu]");
    // fuse_activation.h; the largest slope of the function is 1 or that of the data.
    const double u = UnitRoundoff(dtype);
    testing::ExpectAgreement(before, after, testing::RandomInputs(before, 5),
                             [&](std::int64_t, double y) {
                               return (1 + u) * (kLargestSlope * kTerms * u + 2 * u * std::abs(y)) +
                                      3 * HalfSubnormalStep(dtype);
                             });
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FusePReluTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(FusePRelu, WritesTheSlopes) {
  Graph one = GraphOf(kCases[0], DType::kFloat16);
  FuseActivationFunction(one);
  EXPECT_EQ(one.nodes.at(0).fusion.activation.value().op, OpKind::kPRelu);
  EXPECT_EQ(one.nodes.at(0).fusion.activation.value().slopes.size(), 1U);
  Graph each = GraphOf(kCases[2], DType::kFloat32);
  const std::vector<double> slopes =
      DoublesOf(each.value(each.nodes.at(1).inputs.at(1)).constant.value());
  FuseActivationFunction(each);
  EXPECT_EQ(each.nodes.at(0).fusion.activation.value().slopes,
            std::vector<float>(slopes.begin(), slopes.end()));
}

TEST(FusePRelu, KeepsSlopesThatAreComputed) {
  Net net;
  const ValueId conv = net.Conv("conv", net.Image(), 6);
  Graph graph =
      net.Finish({net.Add(OpKind::kPRelu, "prelu", {conv, net.Input("slope", {6, 1, 1})})});
  FuseActivationFunction(graph);
  EXPECT_EQ(NodesOf(graph), "Conv[conv] PRelu[prelu]");
}

TEST(FusePRelu, KeepsThatOfBatchNormalization) {
  Net net;
  const ValueId bn = net.BatchNorm("bn", net.Image(), 4);
  Graph graph =
      net.Finish({net.Add(OpKind::kPRelu, "prelu", {bn, net.Weights("slope", {4, 1, 1})})});
  FuseActivationFunction(graph);
  EXPECT_EQ(NodesOf(graph), "BatchNormalization[bn] PRelu[prelu]");
}

TEST(FusePRelu, IsSwitchedOffByName) {
  const Graph before = GraphOf(kCases[2], DType::kFloat32);
  Graph off = before;
  Optimize(off, {"fuse_activation_function"});
  EXPECT_EQ(NodesOf(off), "Conv[main] PRelu[prelu]");
  Graph on = before;
  Optimize(on);
  EXPECT_EQ(NodesOf(on), "Conv[main+prelu]");
}

// A residual connection around it: PRelu(s) + r.
TEST(FusePRelu, TakesAResidualBehindIt) {
  Net net;
  const ValueId x = net.Image();
  const ValueId prelu =
      net.Add(OpKind::kPRelu, "prelu", {net.Conv("conv", x, 4), net.Weights("slope", {4, 1, 1})});
  Graph graph = net.Finish({net.Add(OpKind::kAdd, "add", {x, prelu})});
  Optimize(graph);
  EXPECT_EQ(NodesOf(graph), "Conv[conv+prelu+add]");
}

}  // namespace
}  // namespace halftone
