// Plans in 16-bit integers: what runs is float32 on tensors and constants of the 16-bit grids.
#include "src/exec/rounded_constants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/node_formats.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using testing::Net;

constexpr float kScale = 0.0001F;
constexpr std::int32_t kZero = 30000;

// q of uint16, and the value that it stands for, as the lexicon of scaled tensors has it.
double OnGrid(double value, double scale, int zero, int least) {
  const double q =
      std::clamp(std::nearbyint(value / scale) + zero, double(least), double(least) + 65535);
  return scale * (q - zero);
}

PrecisionPlan InInt16(const Graph& graph, const Quantization& quantization) {
  PrecisionPlan plan = ReferencePlan(graph);
  plan.quantization = SharedQuantization(quantization);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    ApplyFormat(graph, graph.nodes[n], "qint16", plan.nodes[n]);
  }
  return plan;
}

std::vector<double> Outputs(const Graph& graph, const PrecisionPlan& plan, const Tensor& input) {
  return DoublesOf(Compile(graph, plan).Run(std::vector{input})[0]);
}

Tensor Values(Shape shape, std::uint64_t seed, double low, double high) {
  Rng rng(seed);
  return testing::RandomTensor({DType::kFloat32, std::move(shape)}, rng, low, high);
}

// x [2, 3] times w [3, 4] plus b, in double on the grids, each tensor rounded once.
TEST(RoundedConstantsTest, AProductIsThatOfTheGrids) {
  Net net;
  const ValueId x = net.Input("x", {2, 3});
  const Tensor weights = Values({3, 4}, 1, -2, 2);
  const ValueId w = net.Constant("w", weights);
  const ValueId product = net.Add(OpKind::kMatMul, "product", {x, w});
  const Graph graph = net.Finish({product});
  const WeightScales scales{{0.0001F, 0.00005F, 0.001F, 0.0002F}, {0, 5, -32768, 0}};
  Quantization quantization;
  quantization.activations["x"] = {kScale, kZero};
  quantization.activations[graph.value(product).name] = {0.0005F, 32768};
  quantization.weights["w"] = scales;
  const Tensor input = Values({2, 3}, 2, -2, 2);
  const std::vector<double> made = Outputs(graph, InInt16(graph, quantization), input);
  const std::vector<double> from = DoublesOf(input);
  const std::vector<double> by = DoublesOf(weights);
  for (std::size_t i = 0; i < made.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t c = i % 4;
      sum += OnGrid(from[i / 4 * 3 + k], double{kScale}, kZero, 0) *
             OnGrid(by[k * 4 + c], double{scales.scales[c]}, scales.zero_points[c], -32768);
    }
    // Sums in float32 may fall on the other side of a tie: one step.
    EXPECT_NEAR(made[i], OnGrid(sum, double{0.0005F}, 32768, 0), 1.001 * 0.0005) << i;
  }
}

// A file of the user gives them: with another number than one or one a channel they stand for
// nothing.
TEST(RoundedConstantsTest, AnotherNumberOfScalesIsRefused) {
  Net net;
  const ValueId x = net.Input("x", {2, 3});
  const ValueId w = net.Constant("w", Values({3, 4}, 1, -2, 2));
  const Graph graph = net.Finish({net.Add(OpKind::kMatMul, "product", {x, w})});
  Quantization quantization;
  quantization.activations["x"] = {kScale, kZero};
  quantization.weights["w"] = {{0.1F, 0.2F, 0.3F}, {}};
  EXPECT_THROW(RoundedConstant(graph, graph.nodes[0], 1, quantization), Error);
  quantization.weights["w"] = {{0.1F}, {}};
  EXPECT_NO_THROW(RoundedConstant(graph, graph.nodes[0], 1, quantization));
}

// Movers take the integers as they are: a grid's values come back to the last bit.
TEST(RoundedConstantsTest, MovedValuesStayOnTheirGrid) {
  Net net;
  const ValueId x = net.Input("x", {2, 8});
  const ValueId y = net.Add(OpKind::kTranspose, "turn", {x},
                            testing::With("perm", std::vector<std::int64_t>{1, 0}));
  const Graph graph = net.Finish({y});
  Quantization quantization;
  quantization.activations["x"] = {kScale, kZero};
  quantization.activations[graph.value(y).name] = {kScale, kZero};
  const Tensor input = Values({2, 8}, 3, -5, 5);
  const std::vector<double> made = Outputs(graph, InInt16(graph, quantization), input);
  const std::vector<double> from = DoublesOf(input);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto rounded =
        static_cast<float>(OnGrid(from[i % 2 * 8 + i / 2], double{kScale}, kZero, 0));
    EXPECT_EQ(static_cast<float>(made[i]), rounded) << i;
  }
}

// The grid of a plan in 8 bits has 256 numbers, and this one 65536.
TEST(RoundedConstantsTest, SixteenBitsAreFinerThanEight) {
  Net net;
  const ValueId x = net.Input("x", {1, 4096});
  const Graph graph = net.Finish({net.Add(OpKind::kRelu, "relu", {x})});
  Quantization quantization;
  quantization.activations["x"] = {1.0F / 32768, 32768};
  quantization.activations[graph.value(graph.outputs[0]).name] = {1.0F / 65535, 0};
  const Tensor input = Values({1, 4096}, 4, 0, 1);
  const std::vector<double> made = Outputs(graph, InInt16(graph, quantization), input);
  const std::vector<double> from = DoublesOf(input);
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_NEAR(made[i], from[i], 0.5 / 32768 + 0.5 / 65535 + 1e-7) << i;
  }
}

struct ConstantRow {
  const char* name;
  OpKind op;
  std::size_t input;
  double expected;  // of the constant 0.7 by a scale of 0.25 with the zero point 0, or as it is
};

constexpr ConstantRow kConstants[] = {
    {"an operand of a sum", OpKind::kAdd, 1, 0.75},
    {"weights of a product", OpKind::kMatMul, 1, 0.75},
    {"the first operand of a product", OpKind::kMatMul, 0, 0.75},
    {"the bias of a product", OpKind::kGemm, 2, static_cast<double>(0.7F)},
};

TEST(RoundedConstantsTest, EachConstantHasItsGrid) {
  for (const ConstantRow& row : kConstants) {
    Net net;
    const ValueId x = net.Input("x", {1, 1});
    const ValueId c = net.Constant("c", Tensor::From<float>({1, 1}, std::vector<float>{0.7F}));
    std::vector<ValueId> inputs(row.op == OpKind::kGemm ? 3 : 2, x);
    inputs[row.input] = c;
    const Graph graph = net.Finish({net.Add(row.op, "node", inputs)});
    Quantization quantization;
    quantization.activations["c"] = {0.25F, 0};
    quantization.weights["c"] = {{0.25F}, {0}};
    EXPECT_EQ(DoublesOf(RoundedConstant(graph, graph.nodes[0], row.input, quantization)),
              std::vector<double>{row.expected})
        << row.name;
  }
}

TEST(RoundedConstantsTest, WhatIsNotFiniteOrHasNoScaleStays) {
  Net net;
  const ValueId x = net.Input("x", {3});
  const std::vector<float> values = {-INFINITY, 0.3F, 1e9F};
  const ValueId c = net.Constant("c", Tensor::From<float>({3}, values));
  const Graph graph = net.Finish({net.Add(OpKind::kAdd, "node", {x, c})});
  const auto rounded = [&](const Quantization& quantization) {
    return DoublesOf(RoundedConstant(graph, graph.nodes[0], 1, quantization));
  };
  EXPECT_EQ(rounded({}), (std::vector<double>(values.begin(), values.end())));
  Quantization quantization;
  quantization.activations["c"] = {0.25F, 32768};
  EXPECT_EQ(rounded(quantization), (std::vector<double>{-INFINITY, 0.25, 0.25 * 32767}))
      << "beyond the grid its end";
}

}  // namespace
}  // namespace halftone
