// Networks of bytes keep channels last from their first convolution to their last operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "src/exec/plan_layouts.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;

Attributes Ints(std::string_view name, std::vector<std::int64_t> values) {
  Attributes attributes;
  attributes.Set(std::string(name), std::move(values));
  return attributes;
}

Tensor RandomFloats(Shape shape, Rng& rng) {
  std::vector<float> values(static_cast<std::size_t>(shape.ElementCount()));
  for (float& value : values) {
    value = static_cast<float>(rng.Uniform(-3, 3));
  }
  return Tensor::From<float>(std::move(shape), values);
}

// An int8 plan as lowering makes it: bytes from the first convolution to the last, a residual
// inside a convolution, and every operator between quantised tensors.
struct NetworkOfBytes {
  GraphBuilder builder;
  Rng rng{7};

  ValueId Scale(float value) { return Next(Tensor::From<float>({}, std::vector<float>{value})); }

  ValueId Zero(std::uint8_t value) {
    return Next(Tensor::From<std::uint8_t>({}, std::vector<std::uint8_t>{value}));
  }

  template <typename T>
  ValueId Bytes(const Shape& shape) {
    Tensor tensor(ElementTraits<T>::kDType, shape);
    for (T& value : tensor.mutable_values<T>()) {
      value = static_cast<T>(rng.Below(256));
    }
    return Next(std::move(tensor));
  }

  ValueId Next(Tensor tensor) {
    return builder.Constant("constant" + std::to_string(count_++), std::move(tensor));
  }

  ValueId ByteConv(const std::string& name, ValueId x, const Shape& w,
                   std::vector<ValueId> residual, std::int64_t group = 1) {
    const std::vector<float> scales(static_cast<std::size_t>(w[0]), 0.004F);
    std::vector<ValueId> inputs = {x,
                                   Scale(0.02F),
                                   Zero(120),
                                   Bytes<std::int8_t>(w),
                                   Next(Tensor::From<float>({w[0]}, scales)),
                                   Next(Tensor(DType::kInt8, Shape{})),
                                   Scale(0.2F),
                                   Zero(128)};
    Fusion fusion{.activation = StepActivation{.op = OpKind::kRelu}};
    if (!residual.empty()) {
      inputs.push_back(Next(Tensor(DType::kInt32, Shape{w[0]})));
      inputs.insert(inputs.end(), residual.begin(), residual.end());
      fusion.residual = ResidualPlace::kBefore;
    }
    Attributes attributes = Ints("pads", std::vector<std::int64_t>(4, w[2] / 2));
    attributes.Set("group", group);
    return builder.Add(OpKind::kQLinearConv, name, std::move(inputs), attributes, 1, fusion);
  }

  static Attributes Axis(std::int64_t axis) {
    Attributes attributes;
    attributes.Set("axis", axis);
    return attributes;
  }

  Graph Make() {
    const ValueId x = builder.Input("x", {2, 3, 10, 8});
    const ValueId q =
        builder.Add(OpKind::kQuantizeLinear, "quantize", {x, Scale(0.02F), Zero(120)});
    const ValueId stem = ByteConv("stem", q, {32, 3, 3, 3}, {});
    Attributes pool = Ints("kernel_shape", {2, 2});
    pool.Set("strides", std::vector<std::int64_t>{2, 2});
    const ValueId pooled = builder.Add(OpKind::kMaxPool, "pool", {stem}, pool);
    const ValueId depthwise = ByteConv("depthwise", pooled, {32, 1, 3, 3}, {}, 32);
    const ValueId joined =
        ByteConv("joined", depthwise, {32, 32, 1, 1}, {pooled, Scale(0.2F), Zero(128)});
    const ValueId sum = builder.Add(
        OpKind::kQLinearAdd, "sum",
        {joined, Scale(0.2F), Zero(128), pooled, Scale(0.2F), Zero(128), Scale(0.3F), Zero(100)});
    const ValueId scaled =
        builder.Add(OpKind::kQLinearMul, "scaled",
                    {sum, Scale(0.3F), Zero(100), Bytes<std::uint8_t>({32, 1, 1}), Scale(0.01F),
                     Zero(7), Scale(0.2F), Zero(128)});
    const ValueId looked =
        builder.Add(OpKind::kQLinearLookup, "table", {scaled, Bytes<std::uint8_t>({256})});
    const ValueId both = builder.Add(
        OpKind::kQLinearConcat, "both",
        {Scale(0.2F), Zero(128), looked, Scale(0.2F), Zero(128), sum, Scale(0.3F), Zero(100)},
        Axis(1));
    const ValueId average = builder.Add(OpKind::kQLinearAveragePool, "average",
                                        {both, Scale(0.2F), Zero(128), Scale(0.1F), Zero(90)},
                                        Ints("kernel_shape", {2, 2}));
    const ValueId global = builder.Add(OpKind::kQLinearGlobalAveragePool, "global",
                                       {average, Scale(0.1F), Zero(90), Scale(0.1F), Zero(90)});
    return builder.Finish(
        {builder.Add(OpKind::kDequantizeLinear, "floats", {global, Scale(0.1F), Zero(90)})});
  }

 private:
  int count_ = 0;
};

// Kernels of bytes have the bits of the references.
TEST(ByteLayouts, ResultsAreThoseOfTheReferences) {
  const Graph graph = NetworkOfBytes().Make();
  CompileOptions references;
  references.kernels.reference_only = true;
  Rng rng(3);
  const Tensor x = RandomFloats(graph.value(graph.inputs[0]).type.shape, rng);
  const std::vector<Tensor> got = Compile(graph, ReferencePlan(graph)).Run({&x, 1});
  const std::vector<Tensor> want = Compile(graph, ReferencePlan(graph), references).Run({&x, 1});
  EXPECT_EQ(DoublesOf(got.at(0)), DoublesOf(want.at(0)));
}

// One transpose, of the input; the result has one pixel. No step is left to a reference.
TEST(ByteLayouts, StayChannelsLast) {
  const Graph graph = NetworkOfBytes().Make();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_EQ(std::count_if(executable.steps().begin(), executable.steps().end(),
                          [](const StepInfo& step) { return step.op == "Transpose"; }),
            1);
  for (const StepInfo& step : executable.steps()) {
    EXPECT_EQ(step.kernel.find("reference"), std::string::npos) << step.node << " " << step.kernel;
  }
}

}  // namespace
}  // namespace halftone
