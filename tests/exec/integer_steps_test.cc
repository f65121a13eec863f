#include "src/exec/integer_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
using ::testing::HasSubstr;

constexpr ActivationScale kInput{.scale = 0.02F, .zero_point = 100};
constexpr ActivationScale kResult{.scale = 0.05F, .zero_point = 90};

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

struct Network {
  Graph graph;
  std::string step;        // operator of the integer step
  bool one_scale = false;  // the result has the scale of the operand
};

struct FormCase {
  const char* name;
  Network (*make)(GraphBuilder& builder, ValueId x);
};

Network Finish(GraphBuilder& builder, ValueId y, std::string step, bool one_scale = false) {
  return {builder.Finish({y}), std::move(step), one_scale};
}

template <OpKind op>
Network Function(GraphBuilder& builder, ValueId x) {
  return Finish(builder, builder.Add(op, "node", {x}), "QLinearLookup");
}

template <OpKind op>
Network Sum(GraphBuilder& builder, ValueId x) {
  const ValueId other = builder.Input("other", {1, 4, 6, 6});
  return Finish(builder, builder.Add(op, "node", {x, other}),
                op == OpKind::kAdd ? "QLinearAdd" : "QLinearMul");
}

Network Pad(GraphBuilder& builder, ValueId x) {
  const ValueId pads = builder.Integers("pads", {0, 0, 1, 2, 0, 0, 0, 1});
  return Finish(builder, builder.Add(OpKind::kPad, "node", {x, pads}), "Pad", true);
}

Network PadWithZero(GraphBuilder& builder, ValueId x) {
  const ValueId pads = builder.Integers("pads", {0, 0, 1, 2, 0, 0, 0, 1});
  const ValueId zero = builder.Constant("zero", Tensor(DType::kFloat32, Shape{}));
  return Finish(builder, builder.Add(OpKind::kPad, "node", {x, pads, zero}), "Pad", true);
}

Network MaxPool(GraphBuilder& builder, ValueId x) {
  Attributes attributes = With("kernel_shape", std::vector<std::int64_t>{3, 3});
  attributes.Set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  return Finish(builder, builder.Add(OpKind::kMaxPool, "node", {x}, attributes), "MaxPool", true);
}

Network Concat(GraphBuilder& builder, ValueId x) {
  const ValueId other = builder.Input("other", {1, 4, 6, 6});
  return Finish(builder,
                builder.Add(OpKind::kConcat, "node", {x, other}, With("axis", std::int64_t{1})),
                "QLinearConcat");
}

Network GlobalAverage(GraphBuilder& builder, ValueId x) {
  return Finish(builder, builder.Add(OpKind::kGlobalAveragePool, "node", {x}),
                "QLinearGlobalAveragePool");
}

Network AveragePool(GraphBuilder& builder, ValueId x) {
  const Attributes attributes = With("kernel_shape", std::vector<std::int64_t>{2, 2});
  return Finish(builder, builder.Add(OpKind::kAveragePool, "node", {x}, attributes),
                "QLinearAveragePool");
}

template <bool linear>
Network Resize(GraphBuilder& builder, ValueId x) {
  const ValueId scales =
      builder.Constant("scales", Tensor::From<float>({4}, std::vector<float>{1, 1, 2, 1.5F}));
  return Finish(builder,
                builder.Add(OpKind::kResize, "node", {x, kNoValue, scales},
                            With("mode", std::string(linear ? "linear" : "nearest"))),
                "QLinearResize");
}

// Weights of -1, 0 and 1, which int8 has exactly.
template <std::int64_t group>
Network ConvTranspose(GraphBuilder& builder, ValueId x) {
  const std::int64_t results = group == 1 ? 3 : 1;
  Tensor weights(DType::kFloat32, {4, results, 3, 3});
  for (std::size_t i = 0; i < weights.values<float>().size(); ++i) {
    weights.mutable_values<float>()[i] = static_cast<float>(i * i % 5 % 3) - 1;
  }
  Attributes attributes = With("strides", std::vector<std::int64_t>{2, 2});
  attributes.Set("pads", std::vector<std::int64_t>{1, 1, 0, 0});
  attributes.Set("group", group);
  return Finish(builder,
                builder.Add(OpKind::kConvTranspose, "node",
                            {x, builder.Constant("weights", std::move(weights))}, attributes),
                "QLinearConvTranspose");
}

constexpr FormCase kCases[] = {
    {"conv_transpose", ConvTranspose<1>},
    {"depthwise_conv_transpose", ConvTranspose<4>},
    {"resize", Resize<true>},
    {"resize_to_nearest_of_another_scale", Resize<false>},
    {"sigmoid", Function<OpKind::kSigmoid>},
    {"hard_swish", Function<OpKind::kHardSwish>},
    {"relu", Function<OpKind::kRelu>},
    {"tanh", Function<OpKind::kTanh>},
    {"add", Sum<OpKind::kAdd>},
    {"mul", Sum<OpKind::kMul>},
    {"pad", Pad},
    {"pad_with_zero", PadWithZero},
    {"max_pool", MaxPool},
    {"concat", Concat},
    {"global_average", GlobalAverage},
    {"average_pool", AveragePool},
};

class IntegerFormTest : public ::testing::TestWithParam<FormCase> {};

PrecisionPlan InInt8(const Graph& graph, const Quantization& quantization) {
  PrecisionPlan plan = ReferencePlan(graph);
  plan.quantization = SharedQuantization(quantization);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    ApplyFormat(graph, graph.nodes[n], "qint8", plan.nodes[n]);
  }
  return plan;
}

// The integer step gives what float32 gives for the numbers that the integers stand for, rounded to
// the scale of the result: within one step, since float32 and the integers round apart.
TEST_P(IntegerFormTest, IsTheFloatOperatorWithinOneStep) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4, 6, 6});
  const Network network = GetParam().make(builder, x);
  const Graph& graph = network.graph;
  Quantization quantization;
  std::vector<Tensor> inputs;
  std::vector<Tensor> rounded;
  for (const ValueId id : graph.inputs) {
    quantization.activations[graph.value(id).name] = kInput;
    inputs.push_back(Random(graph.value(id).type.shape, 3 + inputs.size()));
    rounded.push_back(RoundedBy(inputs.back(), kInput));
  }
  const ActivationScale result = network.one_scale ? kInput : kResult;
  quantization.activations[graph.value(graph.outputs[0]).name] = result;
  const Executable integers = Compile(graph, InInt8(graph, quantization));
  std::vector<std::string> steps;
  for (const StepInfo& step : integers.steps()) {
    steps.push_back(step.op);
  }
  EXPECT_THAT(steps, ::testing::Contains(network.step));
  const Tensor actual = integers.Run(inputs)[0];
  const Tensor exact = Compile(graph, ReferencePlan(graph)).Run(rounded)[0];
  const Tensor wanted = RoundedBy(exact, result);
  for (std::size_t i = 0; i < wanted.values<float>().size(); ++i) {
    EXPECT_NEAR(actual.values<float>()[i], wanted.values<float>()[i], 1.001F * result.scale) << i;
    if (network.one_scale) {  // nothing is computed
      EXPECT_EQ(actual.values<float>()[i], wanted.values<float>()[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, IntegerFormTest, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<FormCase>& row) {
                           return std::string(row.param.name);
                         });

TEST(IntegerStepsTest, AnOperatorWithoutAFormRunsInFloat32BetweenRoundings) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 8});
  const Graph graph =
      builder.Finish({builder.Add(OpKind::kSoftmax, "node", {x}, With("axis", std::int64_t{-1}))});
  Quantization quantization;
  quantization.activations["x"] = kInput;
  const ActivationScale result{.scale = 1.0F / 255, .zero_point = 0};
  quantization.activations[graph.value(graph.outputs[0]).name] = result;
  const Tensor input = Random({2, 8}, 5);
  const Tensor actual = Compile(graph, InInt8(graph, quantization)).Run(std::vector{input})[0];
  const Tensor exact =
      Compile(graph, ReferencePlan(graph)).Run(std::vector{RoundedBy(input, kInput)})[0];
  EXPECT_EQ(DoublesOf(actual), DoublesOf(RoundedBy(exact, result)));
}

// What ATC quantises reads 8 bits and makes float16.
TEST(IntegerStepsTest, AFloat16ResultIsTheFloat32OneRounded) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 4, 3, 5});
  const ValueId conv =
      builder.Add(OpKind::kConv, "conv", {x, builder.Constant("w", Random({4, 4, 1, 1}, 6))});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {conv})});
  Quantization quantization;
  quantization.activations["x"] = kInput;
  const auto run = [&](DType others, std::string_view format) {
    PrecisionPlan plan = ReferencePlan(graph);
    plan.quantization = SharedQuantization(quantization);
    for (NodePrecision& node : plan.nodes) {
      node.inputs.assign(node.inputs.size(), others);
      node.outputs.assign(node.outputs.size(), others);
    }
    ApplyFormat(graph, graph.nodes[0], format, plan.nodes[0]);
    const Executable executable = Compile(graph, plan);
    EXPECT_TRUE(std::ranges::any_of(executable.steps(), [](const StepInfo& step) {
      return step.op == "QLinearConv";
    })) << format;
    return executable.Run(std::vector{Random({2, 4, 3, 5}, 5)})[0];
  };
  const Tensor wide = run(DType::kFloat32, "qint8 to float32");
  EXPECT_EQ(DoublesOf(run(DType::kFloat16, kQuantizedInFloat16)),
            DoublesOf(Convert(wide, DType::kFloat16)));
}

// A bias of as many rows as there are columns is none of the columns.
TEST(IntegerStepsTest, ABiasForEachRowIsNotTakenForOneOfColumns) {
  for (const Shape& shape : {Shape{4, 1}, Shape{1, 4}}) {
    GraphBuilder builder;
    const ValueId x = builder.Input("x", {4, 3});
    const ValueId w = builder.Constant("w", Random({3, 4}, 6));
    const ValueId c = builder.Constant("c", Random(shape, 7));
    const Graph graph = builder.Finish({builder.Add(OpKind::kGemm, "gemm", {x, w, c})});
    Quantization quantization;
    quantization.activations["x"] = kInput;
    PrecisionPlan plan = ReferencePlan(graph);
    const std::vector<Tensor> inputs = {Random({4, 3}, 5)};
    const std::vector<double> exact = DoublesOf(Compile(graph, plan).Run(inputs)[0]);
    plan.quantization = SharedQuantization(quantization);
    ApplyFormat(graph, graph.nodes[0], "qint8 to float32", plan.nodes[0]);
    const std::vector<double> rounded = DoublesOf(Compile(graph, plan).Run(inputs)[0]);
    // Three products of numbers below 3, each with half a step of either operand: 0.01 and 3 / 254.
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(rounded[i], exact[i], 3 * (3 * 0.01 + 3 * 3.0 / 254 + 0.001)) << shape[0];
    }
  }
}

TEST(IntegerStepsTest, ATensorWithoutAScaleIsNamed) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 8});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "node", {x})});
  Quantization quantization;
  quantization.activations["x"] = kInput;
  try {
    Compile(graph, InInt8(graph, quantization));
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("the quantisation has no scale for tensor"));
  }
}

}  // namespace
}  // namespace halftone
