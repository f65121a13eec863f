// What folding writes into weights.
#include "src/passes/fold/fold_batch_norm.h"

#include <gtest/gtest.h>

#include "tests/support/net.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;

// The bound that fold_batch_norm.h states, in each dtype.
class FoldedWeights : public ::testing::TestWithParam<DType> {};

TEST_P(FoldedWeights, AreRoundedOnce) {
  const DType dtype = GetParam();
  const double unit = dtype == DType::kFloat32   ? 0x1p-24
                      : dtype == DType::kFloat16 ? 0x1p-11
                                                 : 0x1p-8;
  const double half_step = dtype == DType::kFloat16 ? 0x1p-25 : 0x1p-134;  // subnormal spacing / 2
  Net net;
  const ValueId x = net.Input("x", {1, 4, 3, 3}, dtype);
  const ValueId w = net.Weights("w", {6, 4, 1, 1}, -1, 1, dtype);
  const ValueId m = net.Weights("m", {6, 1, 1}, -3, 3, dtype);
  const ValueId y = net.Add(OpKind::kConv, "conv", {x, w});
  const Graph before = net.Finish({net.Add(OpKind::kMul, "mul", {y, m})});
  Graph after = before;
  FoldBatchNorm(after);
  ASSERT_EQ(NodesOf(after), "Conv[conv+mul]");
  const std::vector<double> old_weights = DoublesOf(*before.value(w).constant);
  const std::vector<double> scale = DoublesOf(*before.value(m).constant);
  const Tensor& folded = *after.value(after.nodes[0].inputs[1]).constant;
  EXPECT_EQ(folded.dtype(), dtype);
  const std::vector<double> weights = DoublesOf(folded);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = old_weights[i] * scale[i / 4];
    EXPECT_LE(std::abs(weights[i] - exact), unit * std::abs(exact) + half_step) << "element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, FoldedWeights,
                         ::testing::Values(DType::kFloat32, DType::kFloat16, DType::kBFloat16),
                         [](const auto& c) { return std::string(NameOf(c.param)); });

// Weights [C, M / groups, taps]: channel m of group g is made by those of its input channels.
TEST(FoldBatchNorm, ScalesTheChannelsThatATransposedConvolutionMakes) {
  for (const std::int64_t groups : {1, 2}) {
    Net net;
    const ValueId x = net.Input("x", {1, 4, 3, 3}, DType::kFloat32);
    const std::int64_t outputs = 6 / groups;
    const ValueId w = net.Weights("w", {4, outputs, 2, 2}, -1, 1, DType::kFloat32);
    const ValueId b = net.Weights("b", {6}, -1, 1, DType::kFloat32);
    const ValueId m = net.Weights("m", {6, 1, 1}, 1, 3, DType::kFloat32);
    Attributes attributes;
    attributes.Set("group", groups);
    attributes.Set("strides", std::vector<std::int64_t>{2, 2});
    const ValueId y = net.Add(OpKind::kConvTranspose, "deconv", {x, w, b}, attributes);
    const Graph before = net.Finish({net.Add(OpKind::kMul, "mul", {y, m})});
    Graph after = before;
    FoldBatchNorm(after);
    ASSERT_EQ(NodesOf(after), "ConvTranspose[deconv+mul]");
    const std::vector<double> scale = DoublesOf(*before.value(m).constant);
    const std::vector<double> old_weights = DoublesOf(*before.value(w).constant);
    const std::vector<double> old_bias = DoublesOf(*before.value(b).constant);
    const std::vector<double> weights = DoublesOf(*after.value(after.nodes[0].inputs[1]).constant);
    const std::vector<double> bias = DoublesOf(*after.value(after.nodes[0].inputs[2]).constant);
    for (std::int64_t c = 0; c < 4; ++c) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        const auto channel = static_cast<std::size_t>(c / (4 / groups) * outputs + o);
        for (std::int64_t tap = 0; tap < 4; ++tap) {
          const auto i = static_cast<std::size_t>((c * outputs + o) * 4 + tap);
          const double exact = old_weights[i] * scale[channel];
          EXPECT_LE(std::abs(weights[i] - exact), 0x1p-24 * std::abs(exact)) << i;
        }
      }
    }
    for (std::size_t c = 0; c < 6; ++c) {
      const double exact = old_bias[c] * scale[c];
      EXPECT_LE(std::abs(bias[c] - exact), 0x1p-24 * std::abs(exact)) << c;
    }
  }
}

TEST(FoldBatchNorm, LeavesSharedWeightsOfOtherConvolutions) {
  Net net;
  const ValueId x = net.Image();
  const ValueId w = net.Weights("w", {6, 4, 1, 1});
  const ValueId norm = net.BatchNorm("bn", net.Add(OpKind::kConv, "a", {x, w}), 6);
  Graph graph = net.Finish({norm, net.Add(OpKind::kConv, "b", {x, w})});
  FoldBatchNorm(graph);
  ASSERT_EQ(NodesOf(graph), "Conv[a+bn] Conv[b]");
  EXPECT_NE(graph.nodes[0].inputs[1], w);
  EXPECT_EQ(graph.nodes[1].inputs[1], w);
}

TEST(FoldBatchNorm, LeavesAScaleThatIsNotFinite) {
  Net net;
  const float zero = 0;
  const ValueId conv = net.Conv("conv", net.Image(), 6);
  Graph graph = net.Finish({net.Add(
      OpKind::kDiv, "div", {conv, net.Constant("zero", Tensor::From<float>({}, {&zero, 1}))})});
  FoldBatchNorm(graph);
  EXPECT_EQ(NodesOf(graph), "Conv[conv] Div[div]");
}

}  // namespace
}  // namespace halftone
