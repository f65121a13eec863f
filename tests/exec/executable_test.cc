#include "src/exec/executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/exec/program.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::AllocationCounter;
using ::halftone::testing::GraphBuilder;
using ::testing::HasSubstr;

Tensor Floats(Shape shape, std::vector<float> values) {
  return Tensor::From<float>(std::move(shape), values);
}

std::vector<double> RunOn(const Graph& graph, const PrecisionPlan& plan, const Tensor& input) {
  const Executable executable = Compile(graph, plan);
  return DoublesOf(executable.Run({{input}}).at(0));
}

// x -> Relu -> Add(x) -> y
Graph ReluPlusInput() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {4});
  const ValueId r = builder.Add(OpKind::kRelu, "relu", {x});
  const ValueId y = builder.Add(OpKind::kAdd, "add", {r, x});
  return builder.Finish({y});
}

PrecisionPlan WithDType(const Graph& graph, std::string_view node, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].name == node) {
      for (NumericFormat& input : plan.nodes[n].inputs) {
        input = dtype;
      }
      for (NumericFormat& output : plan.nodes[n].outputs) {
        output = dtype;
      }
    }
  }
  return plan;
}

TEST(ExecutableTest, RunsTheReferencePlan) {
  const Graph graph = ReluPlusInput();
  EXPECT_EQ(RunOn(graph, ReferencePlan(graph), Floats({4}, {-1, 2, -3, 4})),
            (std::vector<double>{-1, 4, -3, 8}));
}

TEST(ExecutableTest, PlacesOneCastPerValueAndDType) {
  const Graph graph = ReluPlusInput();
  // Both nodes in float16: x is converted once although both read it, y is converted back.
  PrecisionPlan plan = WithDType(graph, "relu", DType::kFloat16);
  plan.nodes[1] = WithDType(graph, "add", DType::kFloat16).nodes[1];
  const Program program = Lower(graph, plan);
  ASSERT_EQ(program.steps.size(), 4U);
  EXPECT_EQ(program.steps[0].op, OpKind::kCast);
  EXPECT_EQ(program.steps[3].op, OpKind::kCast);
  // 2049 is not a float16: what is computed shows that the rounding took place.
  EXPECT_EQ(RunOn(graph, plan, Floats({4}, {2049, 1, 0, -1})),
            (std::vector<double>{4096, 2, 0, -1}));
}

TEST(ExecutableTest, ClipsWeightsThatOverflowFloat16) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const ValueId c = builder.Constant("c", Floats({2}, {1e6F, -1e6F}));
  const Graph graph = builder.Finish({builder.Add(OpKind::kAdd, "add", {x, c})});
  EXPECT_EQ(RunOn(graph, WithDType(graph, "add", DType::kFloat16), Floats({2}, {0, 0})),
            (std::vector<double>{65504, -65504}));
}

TEST(ExecutableTest, WeightsThatAreNotClippedBecomeInfinite) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {3});
  const ValueId c = builder.Constant("c", Floats({3}, {1e6F, -1e6F, 1}));
  const Graph graph = builder.Finish({builder.Add(OpKind::kAdd, "add", {x, c})});
  PrecisionPlan plan = WithDType(graph, "add", DType::kFloat16);
  plan.clip_weights = false;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(RunOn(graph, plan, Floats({3}, {0, 0, 0})), (std::vector<double>{kInf, -kInf, 1}));
  EXPECT_TRUE(Compile(graph, plan).clipped_weights().empty());
}

TEST(ExecutableTest, NamesEveryNodeWithClippedWeights) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {3});
  const ValueId c = builder.Constant("c", Floats({3}, {1e6F, -2e6F, 1}));
  const ValueId add = builder.Add(OpKind::kAdd, "add", {x, c});
  const ValueId mul = builder.Add(OpKind::kMul, "mul", {add, c});
  const Graph graph = builder.Finish({builder.Add(OpKind::kSub, "sub", {mul, c})});
  PrecisionPlan plan = WithDType(graph, "add", DType::kFloat16);
  plan.nodes[1] = WithDType(graph, "mul", DType::kFloat16).nodes[1];
  const Executable executable = Compile(graph, plan);
  std::vector<std::string> sentences;
  for (const ClippedWeight& clipped : executable.clipped_weights()) {
    sentences.push_back(Describe(clipped));
  }
  const std::string rest =
      " reads weight 'c' in float16: 2 of its elements were clipped to 65504, the largest is "
      "2e+06; keep the node in float32, or give --is_weight_clip=0 to let them become infinite";
  EXPECT_THAT(sentences, ::testing::ElementsAre("node 'add'" + rest, "node 'mul'" + rest));
}

TEST(ExecutableTest, InputsAndOutputsHaveTheDTypesOfThePlan) {
  const Graph graph = ReluPlusInput();
  PrecisionPlan plan = ReferencePlan(graph);
  plan.graph_inputs = {DType::kFloat16};
  plan.graph_outputs = {DType::kFloat16};
  const Executable executable = Compile(graph, plan);
  EXPECT_EQ(executable.input_types()[0], (TensorType{DType::kFloat16, {4}}));
  EXPECT_EQ(executable.output_types()[0], (TensorType{DType::kFloat16, {4}}));
  // 2049 is rounded to 2048 before the network sees it.
  const std::vector<Tensor> inputs =
      executable.ConvertInputs(std::vector<Tensor>{Floats({4}, {2049, -1, 0.5F, 3})});
  EXPECT_EQ(inputs[0].dtype(), DType::kFloat16);
  EXPECT_EQ(DoublesOf(executable.Run(inputs)[0]), (std::vector<double>{4096, -1, 1, 6}));
}

// Ties go to even, not toward zero; what does not fit saturates; NaN becomes 0.
TEST(ExecutableTest, IntegerOutputsAreRoundedAndSaturated) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {8});
  const Graph graph = builder.Finish({builder.Add(OpKind::kNeg, "neg", {x})});
  const std::vector<float> values = {0.5F, 1.5F,  2.5F,  -2.6F,
                                     1000, -1000, -0.4F, std::numeric_limits<float>::quiet_NaN()};
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    PrecisionPlan plan = WithDType(graph, "neg", dtype);
    plan.graph_outputs = {DType::kInt8};
    EXPECT_EQ(RunOn(graph, plan, Floats({8}, values)),
              (std::vector<double>{0, -2, -2, 3, -128, 127, 0, 0}))
        << NameOf(dtype);
    plan.graph_outputs = {DType::kUInt8};
    EXPECT_EQ(RunOn(graph, plan, Floats({8}, values)),
              (std::vector<double>{0, 0, 0, 3, 0, 255, 0, 0}))
        << NameOf(dtype);
  }
}

// An output that is an input or a constant, in another dtype.
TEST(ExecutableTest, InputsAndConstantsMayBeOutputsInAnotherDType) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2});
  const ValueId c = builder.Constant("c", Floats({2}, {2.5F, 300}));
  const Graph graph = builder.Finish({x, c});
  PrecisionPlan plan = ReferencePlan(graph);
  plan.graph_outputs = {DType::kFloat16, DType::kUInt8};
  const auto outputs = Compile(graph, plan).Run({{Floats({2}, {2049, 1})}});
  EXPECT_EQ(DoublesOf(outputs[0]), (std::vector<double>{2048, 1}));
  EXPECT_EQ(DoublesOf(outputs[1]), (std::vector<double>{2, 255}));
}

TEST(ExecutableTest, ViewsAreAliasesAndOutputsAreCopiedOnlyWhereNeeded) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 2});
  const ValueId shape = builder.Integers("shape", {4});
  const ValueId view = builder.Add(OpKind::kReshape, "view", {x, shape});
  const ValueId relu = builder.Add(OpKind::kRelu, "relu", {view});
  const ValueId back =
      builder.Add(OpKind::kReshape, "back", {relu, builder.Integers("s2", {2, 2})});
  // x itself, a view of it, a result and a view of that result are all outputs.
  const Graph graph = builder.Finish({x, view, relu, back});
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_EQ(executable.steps().size(), 4U);  // relu and three copies
  const auto outputs = executable.Run({{Floats({2, 2}, {-1, 2, -3, 4})}});
  EXPECT_EQ(DoublesOf(outputs[0]), (std::vector<double>{-1, 2, -3, 4}));
  EXPECT_EQ(outputs[1].shape(), (Shape{4}));
  EXPECT_EQ(DoublesOf(outputs[1]), (std::vector<double>{-1, 2, -3, 4}));
  EXPECT_EQ(DoublesOf(outputs[2]), (std::vector<double>{0, 2, 0, 4}));
  EXPECT_EQ(DoublesOf(outputs[3]), (std::vector<double>{0, 2, 0, 4}));
}

TEST(ExecutableTest, GraphOutputsMayBeConstants) {
  GraphBuilder builder;
  builder.Input("x", {1});
  const Graph graph = builder.Finish({builder.Constant("c", Floats({2}, {5, 6}))});
  EXPECT_EQ(RunOn(graph, ReferencePlan(graph), Floats({1}, {0})), (std::vector<double>{5, 6}));
}

TEST(ExecutableTest, EmptyTensorsAreLegal) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {0, 3});
  const Graph graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {x})});
  EXPECT_EQ(RunOn(graph, ReferencePlan(graph), Floats({0, 3}, {})).size(), 0U);
}

// Steps whose kernel is oneDNN's, which alone calls the allocator (kernels/onednn/library.h).
int LibrarySteps(const Executable& executable) {
  int count = 0;
  for (const StepInfo& step : executable.steps()) {
    count += step.kernel.find("onednn") != std::string::npos ? 1 : 0;
  }
  return count;
}

// Convolution to softmax. The weights are constant, or an input, which oneDNN's kernels refuse.
Graph SmallNetwork(bool constant_weights) {
  GraphBuilder builder;
  Rng rng(1);
  const ValueId x = builder.Input("x", {1, 3, 16, 16});
  Tensor weights(DType::kFloat32, {8, 3, 3, 3});
  for (float& weight : weights.mutable_values<float>()) {
    weight = static_cast<float>(rng.Uniform(-1, 1));
  }
  const ValueId w =
      constant_weights ? builder.Constant("w", weights) : builder.Input("w", weights.shape());
  const ValueId conv = builder.Add(OpKind::kConv, "conv", {x, w});
  const ValueId relu = builder.Add(OpKind::kRelu, "relu", {conv});
  const ValueId mean = builder.Add(OpKind::kGlobalAveragePool, "mean", {relu});
  const ValueId flat = builder.Add(OpKind::kFlatten, "flat", {mean});
  return builder.Finish({builder.Add(OpKind::kSoftmax, "softmax", {flat})});
}

int AllocationsOfARun(const Executable& executable) {
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> inputs;
  for (const TensorType& type : executable.input_types()) {
    inputs.emplace_back(type);
  }
  std::vector<Tensor> outputs = {Tensor(executable.output_types()[0])};
  executable.Run(workspace, inputs, outputs);
  const AllocationCounter counter;
  executable.Run(workspace, inputs, outputs);
  return static_cast<int>(counter.count());
}

// x -> NonZero of so many elements -> y
Graph NonZeroOf(std::int64_t planned) {
  Graph graph;
  const ValueId x = graph.AddValue({.name = "x", .type = {DType::kFloat32, {4}}});
  const ValueId y = graph.AddValue({.name = "y", .type = {DType::kInt64, {1, planned}}});
  Node node{.op = OpKind::kNonZero, .name = "where", .origins = {{"where", "NonZero"}}};
  node.inputs = {x};
  node.outputs = {y};
  node.planned_count = planned;
  graph.nodes.push_back(std::move(node));
  graph.inputs = {x};
  graph.outputs = {y};
  return graph;
}

// Where none are planned, too: nothing was run then, and nothing said.
TEST(ExecutableTest, ARunThatFindsAnotherNumberOfElementsSaysSo) {
  for (const std::int64_t planned : {0, 1, 2, 3}) {
    const Graph graph = NonZeroOf(planned);
    const Executable executable = Compile(graph, ReferencePlan(graph));
    Workspace workspace = executable.NewWorkspace();
    std::vector<Tensor> outputs = executable.NewOutputs();
    for (const std::int64_t found : {2, 1, 0, 3}) {
      std::vector<float> values(4, 0);
      std::fill_n(values.begin(), found, -1.0F);
      const std::vector<Tensor> inputs = {Floats({4}, values)};
      executable.Run(workspace, inputs, outputs);
      EXPECT_EQ(executable.OtherCount(workspace),
                found == planned ? ""
                                 : "node 'where' (NonZero) finds another number of elements than "
                                   "its shape 1x" +
                                       std::to_string(planned) + " is planned for");
    }
  }
}

TEST(ExecutableTest, AllocatesNothingWhileItRuns) {
  const Graph graph = SmallNetwork(false);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Executable executable = Compile(graph, WithDType(graph, "conv", dtype));
    ASSERT_EQ(LibrarySteps(executable), 0) << NameOf(dtype);
    EXPECT_EQ(AllocationsOfARun(executable), 0) << NameOf(dtype);
  }
}

// 8 objects of C++ a call, counted with oneDNN 2.6.3.
TEST(ExecutableTest, OnlyLibraryKernelsAllocate) {
  const Graph graph = SmallNetwork(true);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Executable executable = Compile(graph, WithDType(graph, "conv", dtype));
    EXPECT_LE(AllocationsOfARun(executable), 8 * LibrarySteps(executable)) << NameOf(dtype);
  }
}

TEST(ExecutableTest, ObserverSeesEveryStep) {
  const Graph graph = ReluPlusInput();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  Workspace workspace = executable.NewWorkspace();
  const std::vector<Tensor> inputs = {Floats({4}, {-1, 2, -3, 4})};
  std::vector<Tensor> outputs = {Tensor(executable.output_types()[0])};
  std::vector<float> firsts;
  executable.RunObserved(workspace, inputs, outputs,
                         [&](std::size_t step, std::span<void* const> results) {
                           EXPECT_EQ(executable.step_output_types(step)[0].shape, (Shape{4}));
                           firsts.push_back(static_cast<const float*>(results[0])[1]);
                         });
  EXPECT_THAT(firsts, ::testing::ElementsAre(2, 4));
}

TEST(ExecutableTest, ExecutablesThatRunInTurnsShareAnArena) {
  const Graph graph = ReluPlusInput();
  const Executable exact = Compile(graph, ReferencePlan(graph));
  const Executable apart = Compile(graph, ReferencePlan(graph), {.fuse = false});
  const std::size_t bytes = std::max(exact.peak_arena_bytes(), apart.peak_arena_bytes());
  const Tensor arena(DType::kUInt8, {static_cast<std::int64_t>(bytes)});
  Workspace of_exact = exact.NewWorkspace(arena);
  Workspace of_apart = apart.NewWorkspace(arena);
  const std::vector<Tensor> inputs = {Floats({4}, {-1, 2, -3, 4})};
  const std::vector<Tensor> expected = exact.Run(inputs);
  for (int turn = 0; turn < 2; ++turn) {
    for (const auto& [executable, workspace] :
         {std::pair{&exact, &of_exact}, std::pair{&apart, &of_apart}}) {
      std::vector<Tensor> outputs = executable->NewOutputs();
      executable->Run(*workspace, inputs, outputs);
      EXPECT_TRUE(std::ranges::equal(outputs[0].bytes(), expected[0].bytes()));
    }
  }
}

TEST(ExecutableTest, NamesTheNodeThatNoKernelServes) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {4}, DType::kUInt16);
  const Graph graph = builder.Finish({builder.Add(OpKind::kSoftmax, "strange", {x})});
  try {
    Compile(graph, ReferencePlan(graph));
    FAIL() << "Softmax of uint16 must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(),
                HasSubstr("node 'strange' (Softmax): no kernel for Softmax in uint16"));
  }
}

TEST(ExecutableTest, RefusesInputsOfOtherTypes) {
  const Graph graph = ReluPlusInput();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_THROW((void)executable.Run({{Floats({2, 2}, {1, 2, 3, 4})}}), Error);
}

// Nothing recurses over nodes, and two buffers are enough.
TEST(ExecutableTest, LongChainsNeedNoStack) {
  GraphBuilder builder;
  ValueId y = builder.Input("x", {2});
  for (int i = 0; i < 100'000; ++i) {
    y = builder.Add(OpKind::kNeg, "n" + std::to_string(i), {y});
  }
  const Graph graph = builder.Finish({y});
  const Executable executable = Compile(graph, ReferencePlan(graph));
  EXPECT_LE(executable.peak_arena_bytes(), 128U);
  const Tensor x = Floats({2}, {1, -2});
  EXPECT_EQ(DoublesOf(executable.Run({&x, 1})[0]), DoublesOf(x));
}

}  // namespace
}  // namespace halftone
