#include "src/passes/fuse/fuse_quantized.h"

#include <gtest/gtest.h>

#include <functional>

#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::ExpectSettled;
using testing::NodesOf;
using testing::With;

constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;
constexpr DType kS32 = DType::kInt32;

// Adds quantised data by name: values depend on the name only.
class QuantizedNet : public testing::Net {
 public:
  ValueId Scale(double value) { return Number(value); }

  ValueId Zero(DType dtype, double value) { return Number(value, dtype); }

  ValueId Quantize(const std::string& name, ValueId x, double scale, DType dtype, double zero) {
    return Add(OpKind::kQuantizeLinear, name, {x, Scale(scale), Zero(dtype, zero)});
  }

  ValueId Dequantize(const std::string& name, ValueId q, ValueId scale, ValueId zero = kNoValue,
                     Attributes attributes = {}) {
    return Add(OpKind::kDequantizeLinear, name,
               zero == kNoValue ? std::vector{q, scale} : std::vector{q, scale, zero},
               std::move(attributes));
  }

  // The input of the network, quantised and back.
  ValueId Data(Shape shape, DType dtype = kU8, double zero = 120) {
    const ValueId q = Quantize("qx", Input("x", std::move(shape)), kXScale, dtype, zero);
    return Dequantize("dx", q, Scale(kXScale), Zero(dtype, zero));
  }

  ValueId IntegerWeights(Shape shape, DType dtype = kS8) {
    const double low = dtype == kS8 ? -128 : 0;
    return Weights("w", std::move(shape), low, low + 256, dtype);
  }

  static constexpr double kXScale = 0.0078125;   // 2^-7
  static constexpr double kWScale = 0.00390625;  // 2^-8
};

// The bound of fuse_quantized.h with scales that are powers of two: the float chain is exact here,
// so both forms agree to the bit.
void ExpectSame(const Graph& before, const Graph& after) {
  testing::ExpectAgreement(before, after, testing::RandomInputs(before, 3),
                           [](std::int64_t, double) { return 0.0; });
}

struct Case {
  const char* name;
  std::function<Graph(QuantizedNet&)> build;
  std::string nodes;  // after the pass
  bool exact = true;  // scales are powers of two
};

Graph ConvNet(QuantizedNet& net, ValueId w_scale, std::int64_t w_axis, bool relu, double y_zero,
              ValueId bias = kNoValue) {
  const ValueId x = net.Data({1, 4, 5, 5});
  const ValueId w = net.Dequantize("dw", net.IntegerWeights({6, 4, 3, 3}), w_scale, kNoValue,
                                   With("axis", w_axis));
  std::vector<ValueId> inputs = {x, w};
  if (bias != kNoValue) {
    inputs.push_back(net.Dequantize("db", bias, net.Scale(net.kXScale * net.kWScale)));
  }
  ValueId y = net.Add(OpKind::kConv, "conv", inputs);
  y = relu ? net.Add(OpKind::kRelu, "relu", {y}) : y;
  return net.Finish({net.Quantize("qy", y, 0.0625, kU8, y_zero)});
}

Graph GemmNet(QuantizedNet& net, bool transposed, Attributes attributes, double bias_scale) {
  attributes.Set("transB", std::int64_t{transposed ? 1 : 0});
  const ValueId x = net.Data({3, 8}, kS8, -5);
  const ValueId w = net.Dequantize("dw", net.IntegerWeights(transposed ? Shape{6, 8} : Shape{8, 6}),
                                   net.Weights("ws", {6}, 0.0078125, 0.0078126), kNoValue,
                                   With("axis", std::int64_t{transposed ? 0 : 1}));
  const ValueId bias =
      net.Dequantize("db", net.Weights("b", {6}, -3000, 3000, kS32), net.Scale(bias_scale));
  const ValueId y = net.Add(OpKind::kGemm, "fc", {x, w, bias}, std::move(attributes));
  return net.Finish({net.Quantize("qy", y, 0.0625, kS8, 3)});
}

Graph MatMulNet(QuantizedNet& net, Shape x_shape, DType y = kU8) {
  const ValueId x = net.Data(std::move(x_shape));
  const ValueId w = net.Dequantize("dw", net.IntegerWeights({8, 6}, kU8), net.Scale(net.kWScale),
                                   net.Zero(kU8, 99));
  return net.Finish(
      {net.Quantize("qy", net.Add(OpKind::kMatMul, "mm", {x, w}), 0.0625, y, y == kU8 ? 100 : 3)});
}

const Case kCases[] = {
    {"Conv", [](QuantizedNet& net) { return ConvNet(net, net.Scale(net.kWScale), 0, false, 100); },
     "QuantizeLinear[qx] QLinearConv[conv+qy]"},
    {"ConvWithBias",
     [](QuantizedNet& net) {
       return ConvNet(net, net.Scale(net.kWScale), 0, false, 100,
                      net.Weights("b", {6}, -5000, 5000, kS32));
     },
     "QuantizeLinear[qx] QLinearConv[conv+qy]"},
    {"ScalePerChannel",
     [](QuantizedNet& net) {
       return ConvNet(net, net.Weights("ws", {6}, 0.003, 0.005), 0, false, 100);
     },
     "QuantizeLinear[qx] QLinearConv[conv+qy]", false},
    {"ReluThatSaturationDoes",
     [](QuantizedNet& net) { return ConvNet(net, net.Scale(net.kWScale), 0, true, 0); },
     "QuantizeLinear[qx] QLinearConv[conv+relu+qy]"},
    {"MatMul",
     [](QuantizedNet& net) {
       return MatMulNet(net, {3, 8});
     },
     "QuantizeLinear[qx] QLinearMatMul[mm+qy]"},
    {"MatMulOfABatch",
     [](QuantizedNet& net) {
       return MatMulNet(net, {2, 3, 8}, kS8);
     },
     "QuantizeLinear[qx] QLinearMatMul[mm+qy]"},
    {"Gemm",
     [](QuantizedNet& net) {
       const ValueId x = net.Data({3, 8});
       const ValueId w = net.Dequantize("dw", net.IntegerWeights({6, 8}), net.Scale(net.kWScale));
       const ValueId bias = net.Dequantize("db", net.Weights("b", {6}, -5000, 5000, kS32),
                                           net.Scale(net.kXScale * net.kWScale));
       const ValueId y =
           net.Add(OpKind::kGemm, "fc", {x, w, bias}, With("transB", std::int64_t{1}));
       return net.Finish({net.Quantize("qy", y, 0.0625, kS8, 3)});
     },
     "QuantizeLinear[qx] QLinearMatMul[fc+qy]"},
    // What stays.
    {"ScaleAlongTheWrongAxis",
     [](QuantizedNet& net) {
       return ConvNet(net, net.Weights("ws", {4}, 0.003, 0.005), 1, false, 100);
     },
     "QuantizeLinear[qx] DequantizeLinear[dx] DequantizeLinear[dw] Conv[conv] QuantizeLinear[qy]"},
    {"ReluThatCutsMore",
     [](QuantizedNet& net) { return ConvNet(net, net.Scale(net.kWScale), 0, true, 100); },
     "QuantizeLinear[qx] DequantizeLinear[dx] DequantizeLinear[dw] Conv[conv] Relu[relu] "
     "QuantizeLinear[qy]"},
    {"BiasOfAnotherScale", [](QuantizedNet& net) { return GemmNet(net, true, {}, 0.001); },
     "QuantizeLinear[qx] DequantizeLinear[dx] DequantizeLinear[dw] DequantizeLinear[db] Gemm[fc] "
     "QuantizeLinear[qy]"},
    {"Alpha",
     [](QuantizedNet& net) {
       return GemmNet(net, false, With("alpha", 0.5F), net.kXScale * 0.0078125);
     },
     "QuantizeLinear[qx] DequantizeLinear[dx] DequantizeLinear[dw] DequantizeLinear[db] Gemm[fc] "
     "QuantizeLinear[qy]"},
    {"SixteenBits",
     [](QuantizedNet& net) {
       return MatMulNet(net, {3, 8}, DType::kInt16);
     },
     "QuantizeLinear[qx] DequantizeLinear[dx] DequantizeLinear[dw] MatMul[mm] QuantizeLinear[qy]"},
};

class FuseQuantizedTest : public ::testing::TestWithParam<Case> {};

TEST_P(FuseQuantizedTest, GivesTheSameIntegers) {
  QuantizedNet net;
  const Graph before = GetParam().build(net);
  Graph after = before;
  FuseQuantized(after);
  Graph left = after;
  const Pass* dead = nullptr;
  for (const Pass& pass : AllPasses()) {
    dead = pass.name == "remove_dead_nodes" ? &pass : dead;
  }
  dead->run(left, Fusing());
  EXPECT_EQ(NodesOf(left), GetParam().nodes);
  ExpectSettled(before, after, FuseQuantized);
  if (GetParam().exact) {
    ExpectSame(before, after);
  } else {  // within a step
    testing::ExpectAgreement(before, after, testing::RandomInputs(before, 3),
                             [](std::int64_t, double) { return 1.0; });
  }
}

INSTANTIATE_TEST_SUITE_P(Passes, FuseQuantizedTest, ::testing::ValuesIn(kCases),
                         [](const auto& suite) { return suite.param.name; });

// A value that others read, or that leaves the network, is still made.
TEST(FuseQuantizedTest, LeavesResultsThatAreReadElsewhere) {
  QuantizedNet net;
  const ValueId x = net.Data({3, 8});
  const ValueId w = net.Dequantize("dw", net.IntegerWeights({8, 6}), net.Scale(net.kWScale));
  const ValueId y = net.Add(OpKind::kMatMul, "mm", {x, w});
  const ValueId q = net.Quantize("qy", y, 0.0625, kU8, 100);
  Graph graph = net.Finish({q, y});
  const std::string nodes = NodesOf(graph);
  FuseQuantized(graph);
  EXPECT_EQ(NodesOf(graph), nodes);
}

// Off, the constants are folded and the network runs in float32.
TEST(FuseQuantizedTest, CanBeSwitchedOff) {
  QuantizedNet net;
  const Graph before = MatMulNet(net, {3, 8});
  Graph fused = before;
  Optimize(fused);
  EXPECT_EQ(NodesOf(fused), "QuantizeLinear[qx] QLinearMatMul[mm+qy]");
  Graph plain = before;
  Optimize(plain, {"fuse_quantized"});
  EXPECT_EQ(NodesOf(plain),
            "QuantizeLinear[qx] DequantizeLinear[dx] MatMul[mm] QuantizeLinear[qy]");
  ExpectSame(plain, fused);
}

}  // namespace
}  // namespace halftone
