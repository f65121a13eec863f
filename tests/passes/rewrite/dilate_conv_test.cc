#include "src/passes/rewrite/dilate_conv.h"

#include <gtest/gtest.h>

#include <cstring>

#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;
using testing::With;
using Extents = std::vector<std::int64_t>;

struct Case {
  const char* name;
  Shape weights;
  Extents steps;  // taps at multiples of them are not zero
  Attributes attributes;
  Shape after;  // of the weights
  Extents dilations;
};

Attributes Padded(Extents pads, Extents dilations = {}) {
  Attributes attributes = With("pads", std::move(pads));
  if (!dilations.empty()) {
    attributes.Set("dilations", std::move(dilations));
  }
  return attributes;
}

const Case kCases[] = {
    {"Dense", {6, 4, 3, 3}, {1, 1}, {}, {6, 4, 3, 3}, {}},
    {"AtrousTwice", {6, 4, 5, 5}, {2, 2}, Padded({2, 2, 2, 2}), {6, 4, 3, 3}, {2, 2}},
    {"AtrousFour", {6, 4, 9, 9}, {4, 4}, Padded({4, 4, 4, 4}), {6, 4, 3, 3}, {4, 4}},
    {"OneAxis", {6, 4, 3, 5}, {1, 2}, Padded({1, 2, 1, 2}), {6, 4, 3, 3}, {1, 2}},
    {"DilatedAlready", {6, 4, 3, 3}, {2, 2}, Padded({2, 2, 2, 2}, {2, 2}), {6, 4, 2, 2}, {4, 4}},
    {"SameUpper",
     {6, 4, 5, 5},
     {2, 2},
     With("auto_pad", std::string("SAME_UPPER")),
     {6, 4, 3, 3},
     {2, 2}},
    {"KernelShape",
     {6, 4, 5, 5},
     {2, 2},
     With("kernel_shape", Extents{5, 5}),
     {6, 4, 3, 3},
     {2, 2}},
    {"LastTapOffTheGrid", {6, 4, 4, 4}, {2, 2}, {}, {6, 4, 4, 4}, {}},
    {"OneTap", {6, 4, 1, 1}, {1, 1}, {}, {6, 4, 1, 1}, {}},
};

class DilateConvTest : public ::testing::TestWithParam<Case> {};

// The references sum in double, in the order of the taps: what is left out adds zeros.
TEST_P(DilateConvTest, KeepsTheBits) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Net net;
    const ValueId x = net.Input("x", {2, 4, 11, 13}, dtype);
    Rng rng(4);
    Tensor weights = testing::RandomTensor({dtype, c.weights}, rng);
    for (std::int64_t i = 0; i < weights.ElementCount(); ++i) {
      const std::int64_t column = i % c.weights[3];
      const std::int64_t row = i / c.weights[3] % c.weights[2];
      if (row % c.steps[0] != 0 || column % c.steps[1] != 0) {
        StoreDouble(dtype, weights.mutable_data(), i, i % 2 == 0 ? 0.0 : -0.0);
      }
    }
    const ValueId w = net.Constant("w", std::move(weights));
    const Graph before = net.Finish({net.Add(OpKind::kConv, "conv", {x, w}, c.attributes)});
    Graph after = before;
    DilateConv(after);
    testing::ExpectSettled(before, after, DilateConv);
    EXPECT_EQ(after.value(after.nodes[0].inputs[1]).type.shape, c.after);
    EXPECT_EQ(after.nodes[0].attributes.Ints("dilations"),
              c.dilations.empty() ? c.attributes.Ints("dilations") : c.dilations);
    const std::vector<Tensor> inputs = testing::RandomInputs(before, 5);
    const Tensor expected = testing::Evaluate(before, inputs).outputs.at(0);
    const Tensor found = testing::Evaluate(after, inputs).outputs.at(0);
    ASSERT_EQ(expected.type(), found.type());
    EXPECT_EQ(
        std::memcmp(expected.data(), found.data(), static_cast<std::size_t>(expected.size_bytes())),
        0);
  }
}

INSTANTIATE_TEST_SUITE_P(Weights, DilateConvTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// Weights of light models, say, which are filled later.
TEST(DilateConv, WeightsThatAreAllZeroStay) {
  Net net;
  const ValueId w = net.Constant("w", Tensor(DType::kFloat32, {2, 4, 3, 3}));
  Graph graph = net.Finish({net.Add(OpKind::kConv, "conv", {net.Image(), w})});
  DilateConv(graph);
  EXPECT_EQ(graph.value(graph.nodes[0].inputs[1]).type.shape, Shape({2, 4, 3, 3}));
}

TEST(DilateConv, IsSwitchedOffByName) {
  Net net;
  const ValueId w = net.Number(1, DType::kFloat32, {1, 1, 3, 1});  // one tap of three
  Graph graph = net.Finish({net.Add(OpKind::kConv, "conv", {net.Input("x", {1, 1, 9, 9}), w})});
  Optimize(graph, {"dilate_conv"});
  EXPECT_FALSE(graph.nodes[0].attributes.Has("dilations"));
  Optimize(graph);
  EXPECT_EQ(graph.nodes[0].attributes.Ints("dilations"), (Extents{2, 1}));
}

}  // namespace
}  // namespace halftone
