#include "src/exec/dynamic_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/node_formats.h"
#include "src/quantization/quantize.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kColumns = kLeastDynamicColumns;

Tensor Random(Shape shape, std::uint64_t seed) {
  Rng rng(seed);
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1.8, 2.8));
  }
  return tensor;
}

Attributes With(std::string name, Attribute value) {
  Attributes attributes;
  attributes.Set(std::move(name), std::move(value));
  return attributes;
}

// MatMul and Gemm in dynamic int8, anything else in float32.
PrecisionPlan InDynamic(const Graph& graph) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const OpKind op = graph.nodes[n].op;
    if (op == OpKind::kMatMul || op == OpKind::kGemm) {
      ApplyFormat(graph, graph.nodes[n], "dint8", plan.nodes[n]);
    }
  }
  return plan;
}

std::vector<std::string> StepsOf(const Executable& executable) {
  std::vector<std::string> steps;
  for (const StepInfo& step : executable.steps()) {
    steps.push_back(step.op);
  }
  return steps;
}

// What the step computes, in double: rows and columns of weights on their grids.
std::vector<double> Expected(const Tensor& x, const Tensor& weights) {
  const Tensor rows = RoundedByRows(x);
  const QuantizedWeights quantized = QuantizeWeights({.weights = weights, .channel_axis = 1});
  const auto k = static_cast<std::size_t>(weights.shape()[0]);
  const auto n = static_cast<std::size_t>(weights.shape()[1]);
  std::vector<double> sums(rows.values<float>().size() / k * n);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (std::size_t e = 0; e < k; ++e) {
      sums[i] += static_cast<double>(rows.values<float>()[i / n * k + e]) *
                 quantized.integers.values<std::int8_t>()[e * n + i % n] *
                 static_cast<double>(quantized.scales[i % n]);
    }
  }
  return sums;
}

// Values of a row on its grid are rounded to float32, as are the result and each product of scales:
// well below a millionth of the sum of magnitudes, which is below 3 K.
void ExpectNear(const Tensor& actual, const std::vector<double>& expected, std::int64_t k) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual.values<float>()[i], expected[i], 3e-6 * static_cast<double>(k)) << i;
  }
}

TEST(DynamicProducts, AMatMulIsTheProductOfRoundedRows) {
  GraphBuilder builder;
  const Tensor weights = Random({40, kColumns}, 1);
  const ValueId x = builder.Input("x", {2, 7, 40});
  const Graph graph = builder.Finish(
      {builder.Add(OpKind::kMatMul, "product", {x, builder.Constant("w", weights)})});
  const Executable dynamic = Compile(graph, InDynamic(graph));
  EXPECT_THAT(StepsOf(dynamic), ElementsAre("DynamicMatMul"));
  const Tensor input = Random({2, 7, 40}, 2);
  ExpectNear(dynamic.Run(std::vector{input})[0], Expected(input, weights), 40);
}

TEST(DynamicProducts, AGemmHasTransposedWeightsAndABias) {
  GraphBuilder builder;
  const Tensor weights = Random({40, kColumns}, 3);
  Tensor transposed(DType::kFloat32, {kColumns, 40});
  for (std::size_t i = 0; i < 40 * kColumns; ++i) {
    transposed.mutable_values<float>()[i % kColumns * 40 + i / kColumns] =
        weights.values<float>()[i];
  }
  const Tensor bias = Random({kColumns}, 4);
  const ValueId x = builder.Input("x", {5, 40});
  const Graph graph = builder.Finish({builder.Add(
      OpKind::kGemm, "product", {x, builder.Constant("w", transposed), builder.Constant("b", bias)},
      With("transB", std::int64_t{1}))});
  const Executable dynamic = Compile(graph, InDynamic(graph));
  EXPECT_THAT(StepsOf(dynamic), ElementsAre("DynamicMatMul"));
  const Tensor input = Random({5, 40}, 5);
  std::vector<double> expected = Expected(input, weights);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] += static_cast<double>(bias.values<float>()[i % kColumns]);
  }
  ExpectNear(dynamic.Run(std::vector{input})[0], expected, 40);
}

// x W + b, Gelu, and what is added to it: one step.
TEST(DynamicProducts, BiasActivationAndResidualStayInTheStep) {
  GraphBuilder builder;
  const Tensor weights = Random({40, kColumns}, 6);
  const Tensor bias = Random({kColumns}, 7);
  const ValueId x = builder.Input("x", {5, 40});
  const ValueId other = builder.Input("other", {5, kColumns});
  const ValueId product =
      builder.Add(OpKind::kMatMul, "product", {x, builder.Constant("w", weights)});
  const ValueId sum = builder.Add(OpKind::kAdd, "bias", {product, builder.Constant("b", bias)});
  const ValueId added = builder.Add(OpKind::kAdd, "residual", {sum, other});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {added})});
  const Executable dynamic = Compile(graph, InDynamic(graph));
  EXPECT_THAT(StepsOf(dynamic), ElementsAre("DynamicMatMul"));
  const Tensor input = Random({5, 40}, 8);
  const Tensor residual = Random({5, kColumns}, 9);
  std::vector<double> expected = Expected(input, weights);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] =
        std::max(0.0, expected[i] + static_cast<double>(bias.values<float>()[i % kColumns]) +
                          static_cast<double>(residual.values<float>()[i]));
  }
  ExpectNear(dynamic.Run(std::vector{input, residual})[0], expected, 40);
}

// Readers and writers in other formats: what is read is cast to float32 first.
TEST(DynamicProducts, StandsBetweenOtherFormats) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {5, 40});
  const ValueId before = builder.Add(OpKind::kTanh, "before", {x});
  const ValueId product = builder.Add(OpKind::kMatMul, "product",
                                      {before, builder.Constant("w", Random({40, kColumns}, 10))});
  const Graph graph = builder.Finish(
      {builder.Add(OpKind::kSoftmax, "after", {product}, With("axis", std::int64_t{-1}))});
  PrecisionPlan plan = InDynamic(graph);
  for (const std::size_t n : {0, 2}) {
    plan.nodes[n].inputs = {DType::kBFloat16};
    plan.nodes[n].outputs = {DType::kBFloat16};
  }
  EXPECT_THAT(StepsOf(Compile(graph, plan)), Contains("DynamicMatMul"));
  const Tensor input = Random({5, 40}, 11);
  const Tensor exact = Compile(graph, ReferencePlan(graph)).Run(std::vector{input})[0];
  const Tensor actual = Compile(graph, plan).Run(std::vector{input})[0];
  double error = 0;
  double power = 0;
  for (std::size_t i = 0; i < exact.values<float>().size(); ++i) {
    error += std::pow(exact.values<float>()[i] - actual.values<float>()[i], 2);
    power += std::pow(exact.values<float>()[i], 2);
  }
  EXPECT_LT(error, 0.05 * power);
  EXPECT_GT(error, 0);
}

TEST(DynamicProducts, GivenScalesOfWeightsAreTaken) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {5, 40});
  const Graph graph = builder.Finish({builder.Add(
      OpKind::kMatMul, "product", {x, builder.Constant("w", Random({40, kColumns}, 12))})});
  PrecisionPlan plan = InDynamic(graph);
  const Tensor input = Random({5, 40}, 13);
  const Tensor own = Compile(graph, plan).Run(std::vector{input})[0];
  Quantization given;
  given.weights["w"].scales = {0.5F};  // coarse
  plan.quantization = SharedQuantization(given);
  const Tensor coarse = Compile(graph, plan).Run(std::vector{input})[0];
  EXPECT_NE(DoublesOf(own), DoublesOf(coarse));
}

struct Refused {
  const char* name;
  ValueId (*make)(GraphBuilder& builder, ValueId x);
};

ValueId FewColumns(GraphBuilder& builder, ValueId x) {
  return builder.Add(OpKind::kMatMul, "product",
                     {x, builder.Constant("w", Random({40, kColumns - 1}, 1))});
}

ValueId TwoActivations(GraphBuilder& builder, ValueId x) {
  return builder.Add(OpKind::kMatMul, "product", {x, builder.Input("y", {40, kColumns})});
}

ValueId ScaledGemm(GraphBuilder& builder, ValueId x) {
  return builder.Add(OpKind::kGemm, "product",
                     {x, builder.Constant("w", Random({40, kColumns}, 1))}, With("alpha", 0.5F));
}

ValueId BiasOfRows(GraphBuilder& builder, ValueId x) {
  return builder.Add(OpKind::kGemm, "product",
                     {x, builder.Constant("w", Random({40, kColumns}, 1)),
                      builder.Constant("b", Random({5, kColumns}, 1))});
}

constexpr Refused kRefused[] = {{"FewColumns", FewColumns},
                                {"TwoActivations", TwoActivations},
                                {"ScaledGemm", ScaledGemm},
                                {"BiasOfRows", BiasOfRows}};

class RefusedProductTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedProductTest, IsNamed) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {5, 40});
  const Graph graph = builder.Finish({GetParam().make(builder, x)});
  try {
    Compile(graph, InDynamic(graph));
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(),
                 "node 'product' cannot compute in dynamic int8, which is for MatMul and Gemm with "
                 "a constant matrix of at least 256 columns as weights and a constant bias; give "
                 "it another format");
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, RefusedProductTest, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return std::string(row.param.name); });

// A bias without axes, as many numbers as there are columns.
TEST(DynamicProducts, OneColumnWithOneNumberIsRefused) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {3, 40});
  const ValueId w = net.Constant("w", Tensor(DType::kFloat32, Shape{40, 1}));
  const ValueId c = net.Constant("c", Tensor(DType::kFloat32, Shape{}));
  const Graph graph = net.Finish({net.Add(OpKind::kGemm, "product", {x, w, c})});
  PrecisionPlan plan = ReferencePlan(graph);
  ApplyFormat(graph, graph.nodes[0], "dint8", plan.nodes[0]);
  EXPECT_FALSE(HasDynamicProductsAlone(graph, plan));
}

TEST(DynamicProducts, OtherOperatorsHaveNoSuchFormat) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {5, 40});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {x})});
  PrecisionPlan plan = ReferencePlan(graph);
  try {
    ApplyFormat(graph, graph.nodes[0], "dint8", plan.nodes[0]);
    FAIL() << "applied";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("only matrix operators compute in dynamic int8"));
  }
}

TEST(DynamicProducts, TheFormatOfANodeHasOneName) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {5, 40});
  const Graph graph = builder.Finish({builder.Add(
      OpKind::kMatMul, "product", {x, builder.Constant("w", Random({40, kColumns}, 12))})});
  const PrecisionPlan plan = InDynamic(graph);
  EXPECT_THAT(NodeFormatsOf(graph, plan), ElementsAre(std::pair("product", "dint8")));
  EXPECT_EQ(plan.nodes[0].outputs[0], NumericFormat(DType::kFloat32));
}

}  // namespace
}  // namespace halftone
