// Channels last is a matter of the executable: results, dtypes and reports are those of the graph.
#include "src/exec/plan_layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/base/rng.h"
#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::ElementsAre;

// Whole numbers from -2 to 2: sums of their products are exact in float32, in any order.
Tensor Random(Shape shape, Rng& rng) {
  std::vector<float> values(static_cast<std::size_t>(shape.ElementCount()));
  for (float& value : values) {
    value = static_cast<float>(rng.Below(5)) - 2.0F;
  }
  return Tensor::From<float>(std::move(shape), values);
}

Attributes Ints(std::string_view name, std::vector<std::int64_t> values) {
  Attributes attributes;
  attributes.Set(std::string(name), std::move(values));
  return attributes;
}

Attributes Int(std::string_view name, std::int64_t value) {
  Attributes attributes;
  attributes.Set(std::string(name), value);
  return attributes;
}

// Everything that keeps the layout between two convolutions, and a view that does not. Sums have at
// most 144 terms and means are over 128 pixels, so each step is exact or rounds exact operands
// once: results are those of the references to the last bit.
struct Network {
  GraphBuilder builder;
  Rng rng{7};

  ValueId Conv(const std::string& name, ValueId x, std::int64_t in, std::int64_t out,
               std::int64_t size) {
    const ValueId w = builder.Constant(name + ".w", Random({out, in, size, size}, rng));
    const ValueId b = builder.Constant(name + ".b", Random({out}, rng));
    return builder.Add(OpKind::kConv, name, {x, w, b},
                       Ints("pads", std::vector<std::int64_t>(4, size / 2)));
  }

  // Its factors are 2, so that it rounds nothing.
  ValueId Normalized(ValueId x, std::int64_t channels) {
    const auto all = [&](const char* name, float value) {
      return builder.Constant(
          name, Tensor::From<float>({channels},
                                    std::vector<float>(static_cast<std::size_t>(channels), value)));
    };
    Attributes attributes;
    attributes.Set("epsilon", 0.0F);
    return builder.Add(OpKind::kBatchNormalization, "norm",
                       {x, all("scale16", 4), builder.Constant("shift", Random({channels}, rng)),
                        all("mean16", 1), all("variance16", 4)},
                       attributes, 1, {.activation = StepActivation{.op = OpKind::kRelu}});
  }

  Graph Make() {
    const ValueId x = builder.Input("x", {2, 3, 14, 12});
    const ValueId stem = Conv("stem", x, 3, 16, 3);
    const ValueId relu = builder.Add(OpKind::kRelu, "relu", {stem});
    const ValueId slope = builder.Constant("slope", Random({16, 1, 1}, rng));
    const ValueId prelu = builder.Add(OpKind::kPRelu, "prelu", {relu, slope});
    Attributes pool = Ints("kernel_shape", {2, 2});
    pool.Set("strides", std::vector<std::int64_t>{2, 2});
    const ValueId pooled = builder.Add(OpKind::kMaxPool, "pool", {prelu}, pool);
    const ValueId left = Conv("left", pooled, 16, 8, 1);
    const ValueId right = Conv("right", pooled, 16, 8, 3);
    const ValueId both =
        builder.Add(OpKind::kConcat, "both", {left, right}, Int("axis", std::int64_t{-3}));
    const ValueId pads = builder.Integers("pads", {0, 0, 1, 0, 0, 0, 0, 2});
    const ValueId padded = builder.Add(OpKind::kPad, "padded", {both, pads});
    const ValueId scales =
        builder.Constant("scales", Tensor::From<float>({4}, std::vector<float>{1, 1, 2, 1}));
    const ValueId resized = builder.Add(OpKind::kResize, "resized", {padded, kNoValue, scales});
    const ValueId mean = builder.Add(OpKind::kGlobalAveragePool, "mean", {Normalized(resized, 16)});
    const ValueId gate = Conv("gate", mean, 16, 16, 1);
    const ValueId gated = builder.Add(OpKind::kMul, "gated", {resized, gate});
    const ValueId row = builder.Constant("row", Random({1, 1, 1, 8}, rng));
    const ValueId shifted = builder.Add(OpKind::kAdd, "shifted", {gated, row});
    const ValueId flat = builder.Add(OpKind::kFlatten, "flat", {shifted}, Int("axis", 1));
    return builder.Finish({flat, mean, shifted});
  }
};

std::size_t CountOf(const Executable& executable, std::string_view op) {
  return static_cast<std::size_t>(
      std::count_if(executable.steps().begin(), executable.steps().end(),
                    [&](const StepInfo& step) { return step.op == op; }));
}

Attributes Half() {
  Attributes attributes;
  attributes.Set("alpha", 0.5F);
  return attributes;
}

// The same with one spatial axis.
Graph NetworkOfSequences() {
  Network network;
  GraphBuilder& builder = network.builder;
  const ValueId x = builder.Input("x", {2, 3, 20});
  const ValueId w = builder.Constant("w", Random({8, 3, 5}, network.rng));
  const ValueId conv = builder.Add(OpKind::kConv, "conv", {x, w}, Ints("pads", {2, 2}));
  const ValueId gate = builder.Add(OpKind::kLeakyRelu, "gate", {conv}, Half());
  const ValueId scale = builder.Constant("scale", Random({8, 1}, network.rng));
  const ValueId scaled = builder.Add(OpKind::kMul, "scaled", {gate, scale});
  Attributes pool = Ints("kernel_shape", {3});
  pool.Set("strides", std::vector<std::int64_t>{2});
  const ValueId pooled = builder.Add(OpKind::kMaxPool, "pool", {scaled}, pool);
  const ValueId twice =
      builder.Add(OpKind::kConcat, "twice", {pooled, pooled}, Int("axis", std::int64_t{1}));
  const ValueId w2 = builder.Constant("w2", Random({4, 4, 3}, network.rng));
  Attributes grouped = Int("group", 4);
  grouped.Set("dilations", std::vector<std::int64_t>{2});
  return builder.Finish({builder.Add(OpKind::kConv, "groups", {twice, w2}, grouped), twice});
}

ValueId Shuffle(GraphBuilder& builder, ValueId x, const std::vector<std::int64_t>& image,
                std::int64_t groups) {
  std::vector<std::int64_t> grouped = image;
  grouped[1] /= groups;
  grouped.insert(grouped.begin() + 1, groups);
  const ValueId five =
      builder.Add(OpKind::kReshape, "grouped", {x, builder.Integers("five", grouped)});
  const ValueId exchanged =
      builder.Add(OpKind::kTranspose, "exchanged", {five}, Ints("perm", {0, 2, 1, 3, 4}));
  return builder.Add(OpKind::kReshape, "shuffled", {exchanged, builder.Integers("four", image)});
}

// A channel shuffle between convolutions, and one whose five axes are an output.
Graph NetworkWithShuffles() {
  Network network;
  GraphBuilder& builder = network.builder;
  const ValueId x = builder.Input("x", {2, 3, 6, 5});
  const ValueId first = network.Conv("first", x, 3, 12, 3);
  const ValueId shuffled = Shuffle(builder, first, {2, 12, 6, 5}, 3);
  const ValueId second = network.Conv("second", shuffled, 12, 4, 1);
  const ValueId five = builder.Integers("axes", {2, 2, 2, 6, 5});
  const ValueId seen = builder.Add(OpKind::kReshape, "seen", {second, five});
  const ValueId exchanged =
      builder.Add(OpKind::kTranspose, "seen.exchanged", {seen}, Ints("perm", {0, 2, 1, 3, 4}));
  return builder.Finish({shuffled, second, exchanged});
}

// What detectors do: halves of the channels, parts of rows, and heads that are read pixel by pixel,
// by another node and by the caller.
Graph NetworkWithHeads() {
  Network network;
  GraphBuilder& builder = network.builder;
  const ValueId x = builder.Input("x", {1, 3, 6, 8});
  const ValueId first = network.Conv("first", x, 3, 12, 3);
  const ValueId half = builder.Add(OpKind::kSplit, "halves",
                                   {first, builder.Integers("sizes", {4, 8})}, Int("axis", 1), 2);
  const ValueId part =
      builder.Add(OpKind::kSlice, "part",
                  {half, builder.Integers("starts", {1, 5}), builder.Integers("ends", {4, -9}),
                   builder.Integers("axes", {1, -2}), builder.Integers("steps", {1, -2})});
  const ValueId head = network.Conv("head", half + 1, 8, 5, 1);
  const ValueId rows =
      builder.Add(OpKind::kReshape, "rows", {head, builder.Integers("rows.shape", {1, 5, 48})});
  const ValueId pixels = builder.Add(OpKind::kTranspose, "pixels", {rows}, Ints("perm", {0, 2, 1}));
  const ValueId relu = builder.Add(OpKind::kRelu, "relu", {pixels});
  const ValueId image =
      builder.Add(OpKind::kTranspose, "image", {head}, Ints("perm", {0, 2, 3, 1}));
  return builder.Finish({part, relu, image});
}

// Residual operands in either layout: made by a convolution, by the caller, and from a view.
Graph NetworkWithResiduals() {
  Network network;
  GraphBuilder& builder = network.builder;
  const ValueId x = builder.Input("x", {2, 8, 6, 5});
  const auto block = [&](const std::string& name, ValueId in, ValueId residual,
                         ResidualPlace place) {
    const ValueId w = builder.Constant(name + ".w", Random({8, 8, 3, 3}, network.rng));
    return builder.Add(OpKind::kConv, name, {in, w, kNoValue, residual}, Ints("pads", {1, 1, 1, 1}),
                       1, {.activation = StepActivation{.op = OpKind::kRelu}, .residual = place});
  };
  const ValueId first = block("first", x, x, ResidualPlace::kBefore);
  const ValueId view =
      builder.Add(OpKind::kReshape, "view", {first, builder.Integers("shape", {2, 8, 5, 6})});
  const ValueId back =
      builder.Add(OpKind::kReshape, "back", {view, builder.Integers("shape2", {2, 8, 6, 5})});
  const ValueId second = block("second", x, back, ResidualPlace::kAfter);
  return builder.Finish({block("third", x, second, ResidualPlace::kBefore), second});
}

// Steps that keep [N, C, H, W] between convolutions: Indices count in it, and transposed
// convolution has no other form.
Graph NetworkOfOneLayout() {
  Network network;
  GraphBuilder& builder = network.builder;
  const ValueId x = builder.Input("x", {2, 3, 6, 8});
  const ValueId first = network.Conv("first", x, 3, 12, 3);
  const ValueId pooled =
      builder.Add(OpKind::kMaxPool, "pool", {first}, Ints("kernel_shape", {2, 2}), 2);
  const ValueId second = network.Conv("second", pooled, 12, 4, 1);
  const ValueId w = builder.Constant("w", Random({4, 5, 2, 2}, network.rng));
  const ValueId spread =
      builder.Add(OpKind::kConvTranspose, "spread", {second, w}, Ints("strides", {2, 2}));
  const ValueId third = network.Conv("third", spread, 5, 4, 1);
  return builder.Finish({pooled + 1, third});
}

// An int8 plan as lowering makes it: bytes from the first convolution to the last, a residual
// inside a convolution, and every operator between quantised tensors.
struct NetworkOfBytes : Network {
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
        Int("axis", 1));
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

struct Case {
  const char* name;
  Graph (*make)();
};

const Case kCases[] = {
    {"TwoSpatialAxes", [] { return Network().Make(); }},
    {"OneSpatialAxis", NetworkOfSequences},
    {"Shuffles", NetworkWithShuffles},
    {"Heads", NetworkWithHeads},
    {"Residuals", NetworkWithResiduals},
    {"OneLayout", NetworkOfOneLayout},
    {"Bytes", [] { return NetworkOfBytes().Make(); }},
};

class PlanLayoutsTest : public ::testing::TestWithParam<Case> {};

TEST_P(PlanLayoutsTest, ResultsAreThoseOfTheReferences) {
  const Graph graph = GetParam().make();
  const Executable planned = Compile(graph, ReferencePlan(graph));
  ASSERT_TRUE(std::any_of(planned.steps().begin(), planned.steps().end(),
                          [](const StepInfo& step) { return step.channels_last; }));
  CompileOptions references;
  references.kernels.reference_only = true;
  const Executable plain = Compile(graph, ReferencePlan(graph), references);
  Rng rng(3);
  const Tensor x = Random(graph.value(graph.inputs[0]).type.shape, rng);
  const std::vector<Tensor> got = planned.Run({&x, 1});
  const std::vector<Tensor> expected = plain.Run({&x, 1});
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), expected[i].shape());
    EXPECT_EQ(DoublesOf(got[i]), DoublesOf(expected[i])) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, PlanLayoutsTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// The shuffle stays between its convolutions; the transposes are of input, two outputs, and the
// exchange that is seen.
TEST(PlanLayouts, ShufflesKeepTheLayout) {
  const Graph graph = NetworkWithShuffles();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  std::vector<std::string> transposes;
  for (const StepInfo& step : executable.steps()) {
    if (step.op == "Transpose") {
      transposes.push_back(step.node);
      EXPECT_EQ(step.channels_last,
                step.node == "exchanged" || step.node == "transpose to channels last");
    }
  }
  EXPECT_THAT(transposes,
              ElementsAre("transpose to channels last", "exchanged", "transpose to channels first",
                          "seen.exchanged", "transpose to channels first"));
}

// One transpose before the first convolution and one for the two outputs that need channels first.
TEST(PlanLayouts, TransposesStandAtTheEnds) {
  const Graph graph = Network().Make();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_EQ(CountOf(executable, "Transpose"), 2U);
  for (const StepInfo& step : executable.steps()) {
    EXPECT_EQ(step.channels_last, step.node != "transpose to channels first" &&
                                      step.node.find("copy") == std::string::npos)
        << step.node;
    EXPECT_EQ(step.kernel.find("reference"), std::string::npos) << step.node << " " << step.kernel;
  }
}

// Neither the halves nor the heads are transposed: one Transpose before, one for the output `part`.
TEST(PlanLayouts, HeadsAreReadAsTheyAre) {
  const Graph graph = NetworkWithHeads();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_EQ(CountOf(executable, "Transpose"), 2U);
  EXPECT_EQ(CountOf(executable, "Identity"), 1U);  // the copy for the caller
}

// `third` reads what `second` wrote as it lies there.
TEST(PlanLayouts, ResidualsHaveTheLayoutOfTheResult) {
  const Graph graph = NetworkWithResiduals();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  std::vector<std::string> steps;
  for (const StepInfo& step : executable.steps()) {
    steps.push_back(step.op == "Transpose" ? step.node : step.op);
  }
  EXPECT_THAT(steps,
              ElementsAre("transpose to channels last", "Conv", "transpose to channels first",
                          "transpose to channels last", "Conv", "Conv",
                          "transpose to channels first", "transpose to channels first"));
}

// One transpose, of the input; the result has one pixel. No step is left to a reference.
TEST(PlanLayouts, BytesStayChannelsLast) {
  const Graph graph = NetworkOfBytes().Make();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_EQ(CountOf(executable, "Transpose"), 1U);
  for (const StepInfo& step : executable.steps()) {
    EXPECT_EQ(step.kernel.find("reference"), std::string::npos) << step.node << " " << step.kernel;
  }
}

TEST(PlanLayouts, ReferencesKeepTheLayoutOfTheGraph) {
  const Graph graph = Network().Make();
  CompileOptions options;
  options.kernels.reference_only = true;
  const Executable executable = Compile(graph, ReferencePlan(graph), options);
  EXPECT_EQ(CountOf(executable, "Transpose"), 0U);
}

TEST(PlanLayouts, NothingChangesWithoutConvolution) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 3, 4, 5});
  Attributes pool = Ints("kernel_shape", {2, 2});
  const Graph graph = builder.Finish({builder.Add(OpKind::kMaxPool, "pool", {x}, pool)});
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_EQ(CountOf(executable, "Transpose"), 0U);
  EXPECT_FALSE(executable.steps()[0].channels_last);
}

// The element that overflows first is named by its place in the graph's layout.
TEST(PlanLayouts, OverflowIsReportedInTheLayoutOfTheGraph) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2, 3, 4});
  const ValueId w =
      builder.Constant("w", Tensor::From<float>({2, 2, 1, 1}, std::vector<float>{1, 0, 0, 300}));
  const ValueId conv = builder.Add(OpKind::kConv, "conv", {x, w});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {conv})});
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.inputs.assign(node.inputs.size(), DType::kFloat16);
    node.outputs.assign(node.outputs.size(), DType::kFloat16);
  }
  const Executable executable = Compile(graph, plan);
  ASSERT_TRUE(std::any_of(executable.steps().begin(), executable.steps().end(),
                          [](const StepInfo& step) { return step.channels_last; }));
  const Executable reference = Compile(graph, ReferencePlan(graph));
  CheckedRunner runner(graph, executable, [&]() -> const Executable& { return reference; });
  std::vector<float> values(24, 1.0F);
  values[12 + 6] = 1000;   // channel 1, row 1, column 2: 300,000 is beyond float16
  values[12 + 11] = 2000;  // behind it in either layout
  const Tensor sample = Tensor::From<float>({1, 2, 3, 4}, values);
  runner.Run({&sample, 1}, "s");
  const OverflowCensus census = runner.census();
  ASSERT_EQ(census.findings.size(), 1U);
  EXPECT_EQ(census.findings[0].node, "conv");
  EXPECT_EQ(census.findings[0].infinities, 2);
  EXPECT_THAT(census.findings[0].first_element, ElementsAre(0, 1, 1, 2));
}

}  // namespace
}  // namespace halftone
