// Executables that share constants compute what those without do, and hold them once.
#include "src/exec/shared_constants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;

Tensor Random(Shape shape, Rng& rng) {
  std::vector<float> values(static_cast<std::size_t>(shape.ElementCount()));
  for (float& value : values) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  return Tensor::From<float>(std::move(shape), values);
}

// Two products with the same weights, one with their transpose, a convolution, an empty constant.
struct Net {
  Rng rng{5};
  GraphBuilder builder;

  Graph Make() {
    const ValueId x = builder.Input("x", {3, 64});
    const ValueId w = builder.Constant("w", Random({64, 64}, rng));
    const ValueId b = builder.Constant("b", Random({64}, rng));
    const ValueId one = builder.Add(OpKind::kGemm, "one", {x, w, b});
    const ValueId two = builder.Add(OpKind::kGemm, "two", {one, w, b});
    Attributes transposed;
    transposed.Set("transB", std::int64_t{1});
    const ValueId three = builder.Add(OpKind::kGemm, "three", {two, w, b}, transposed);
    const ValueId image =
        builder.Add(OpKind::kReshape, "image", {three, builder.Integers("four", {1, 3, 8, 8})});
    const ValueId filter = builder.Constant("filter", Random({96, 3, 3, 3}, rng));
    const ValueId conv = builder.Add(OpKind::kConv, "conv", {image, filter});
    const ValueId nothing = builder.Constant("nothing", Tensor(DType::kFloat32, {1, 0, 6, 6}));
    Attributes axis;
    axis.Set("axis", std::int64_t{1});
    return builder.Finish({builder.Add(OpKind::kConcat, "all", {conv, nothing}, axis)});
  }
};

PrecisionPlan AllOf(const Graph& graph, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    for (NumericFormat& input : node.inputs) {
      input = input == DType::kFloat32 ? dtype : input;
    }
    for (NumericFormat& output : node.outputs) {
      output = output == DType::kFloat32 ? dtype : output;
    }
  }
  return plan;
}

TEST(SharedConstantsTest, ResultsAreTheSame) {
  const Graph graph = Net().Make();
  Rng rng(2);
  const Tensor x = Random({3, 64}, rng);
  SharedConstants shared;
  for (int round = 0; round < 2; ++round) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      const PrecisionPlan plan = AllOf(graph, dtype);
      const Executable apart = Compile(graph, plan);
      const Executable together = Compile(graph, plan, {.shared = &shared});
      EXPECT_EQ(DoublesOf(together.Run({&x, 1})[0]), DoublesOf(apart.Run({&x, 1})[0]))
          << NameOf(dtype);
    }
  }
}

TEST(SharedConstantsTest, EachDTypeIsHeldOnce) {
  const Graph graph = Net().Make();
  SharedConstants shared;
  Compile(graph, ReferencePlan(graph), {.shared = &shared});
  EXPECT_EQ(shared.converted_bytes(), 0U);  // they are those of the graph
  // "one" and "two" are the same call of the same weights; "three" has them transposed.
  const std::size_t of_float = shared.prepared_count();
  EXPECT_EQ(of_float, 3U);
  Compile(graph, AllOf(graph, DType::kFloat16), {.shared = &shared});
  // Weights and filter are in packed form only; the bias is too small to let go.
  const std::size_t bias = 2 * 64;
  EXPECT_EQ(shared.converted_bytes(), bias);
  EXPECT_EQ(shared.prepared_count(), 2 * of_float);
  Compile(graph, AllOf(graph, DType::kFloat16), {.shared = &shared});
  Compile(graph, ReferencePlan(graph), {.shared = &shared});
  EXPECT_EQ(shared.converted_bytes(), bias);
  EXPECT_EQ(shared.prepared_count(), 2 * of_float);
}

// The weights of a product are an operand of a sum as well.
Graph ReadTwice() {
  Rng rng(5);
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {64, 64});
  const ValueId w = builder.Constant("w", Random({64, 64}, rng));
  const ValueId product = builder.Add(OpKind::kGemm, "product", {x, w});
  const ValueId sum = builder.Add(OpKind::kAdd, "sum", {x, w});
  return builder.Finish({product, sum});
}

// `node` in float16, the others in float32.
PrecisionPlan OnlyOf(const Graph& graph, std::size_t node) {
  PrecisionPlan plan = ReferencePlan(graph);
  plan.nodes[node] = AllOf(graph, DType::kFloat16).nodes[node];
  return plan;
}

// Packed by the one, read by the other: what was let go comes back, whoever was first.
TEST(SharedConstantsTest, WeightsThatWereLetGoComeBackForAReader) {
  const Graph graph = ReadTwice();
  Rng rng(2);
  const Tensor x = Random({64, 64}, rng);
  SharedConstants shared;
  const auto check = [&](const PrecisionPlan& plan) {
    const Executable apart = Compile(graph, plan);
    const Executable together = Compile(graph, plan, {.shared = &shared});
    const std::vector<Tensor> expected = apart.Run({&x, 1});
    const std::vector<Tensor> outputs = together.Run({&x, 1});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(DoublesOf(outputs[i]), DoublesOf(expected[i]));
    }
  };
  const std::size_t bytes = 2 * 64 * 64;
  check(OnlyOf(graph, 0));
  EXPECT_EQ(shared.converted_bytes(), 0U);
  check(OnlyOf(graph, 1));
  EXPECT_EQ(shared.converted_bytes(), bytes);
  check(AllOf(graph, DType::kFloat16));
  EXPECT_EQ(shared.converted_bytes(), bytes);
  check(OnlyOf(graph, 0));  // what nobody but the product has now goes again
  EXPECT_EQ(shared.converted_bytes(), 0U);
  check(AllOf(graph, DType::kFloat16));
}

TEST(SharedConstantsTest, ThreadsMayCompileAtOnce) {
  const Graph graph = Net().Make();
  Rng rng(2);
  const Tensor x = Random({3, 64}, rng);
  const PrecisionPlan plans[] = {AllOf(graph, DType::kFloat16), AllOf(graph, DType::kBFloat16)};
  std::vector<std::vector<double>> expected;
  for (const PrecisionPlan& plan : plans) {
    expected.push_back(DoublesOf(Compile(graph, plan).Run({&x, 1})[0]));
  }
  SharedConstants shared;
  std::vector<std::vector<double>> found(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      const Executable executable = Compile(graph, plans[i % 2], {.shared = &shared});
      found[i] = DoublesOf(executable.Run({&x, 1})[0]);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], expected[i % 2]);
  }
}

// Weights clipped to the float16 range are other weights than infinite ones.
std::vector<std::string> KernelsOf(const Executable& executable) {
  std::vector<std::string> kernels;
  for (const StepInfo& step : executable.steps()) {
    kernels.push_back(step.kernel);
  }
  return kernels;
}

// Operators whose kernels pack weights, with weights that are worth sharing.
struct PackedCall {
  OpKind op;
  Shape x;
  std::vector<Shape> weights;
  Attributes attributes;
};

std::vector<PackedCall> PackedCalls() {
  Attributes strides;
  strides.Set("strides", std::vector<std::int64_t>{2, 2});
  Attributes groups;
  groups.Set("group", std::int64_t{480});
  Attributes hidden;
  hidden.Set("hidden_size", std::int64_t{32});
  Attributes wide;
  wide.Set("hidden_size", std::int64_t{64});
  return {{OpKind::kConv, {1, 32, 9, 9}, {{32, 32, 3, 3}}, {}},
          {OpKind::kConv, {1, 480, 9, 9}, {{480, 1, 3, 3}}, groups},
          {OpKind::kConv, {1, 64, 9, 9}, {{64, 64, 1, 1}}, {}},
          {OpKind::kConvTranspose, {1, 32, 9, 9}, {{32, 24, 3, 3}}, strides},
          {OpKind::kConvTranspose, {1, 32, 9, 9}, {{32, 24, 3, 3}}, {}},
          {OpKind::kGemm, {5, 64}, {{64, 64}}, {}},
          {OpKind::kMatMul, {5, 64}, {{64, 64}}, {}},
          {OpKind::kLstm, {6, 2, 32}, {{1, 128, 32}, {1, 128, 32}}, hidden},
          {OpKind::kGru, {6, 2, 32}, {{1, 96, 32}, {1, 96, 32}}, hidden},
          {OpKind::kRnn, {6, 2, 32}, {{1, 64, 32}, {1, 64, 64}}, wide}};
}

// Whoever compiles again finds weights that were packed and let go: kernels are chosen without
// them, and the same.
TEST(SharedConstantsTest, KernelsAreTheSameWithoutTheBytes) {
  for (const PackedCall& call : PackedCalls()) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      Rng rng(3);
      GraphBuilder builder;
      std::vector<ValueId> inputs = {builder.Input("x", call.x)};
      for (const Shape& shape : call.weights) {
        inputs.push_back(builder.Constant("w" + std::to_string(inputs.size()), Random(shape, rng)));
      }
      const Graph graph = builder.Finish({builder.Add(call.op, "call", inputs, call.attributes)});
      const PrecisionPlan plan = AllOf(graph, dtype);
      SharedConstants shared;
      const std::vector<std::string> alone = KernelsOf(Compile(graph, plan));
      EXPECT_EQ(KernelsOf(Compile(graph, plan, {.shared = &shared})), alone);
      EXPECT_EQ(KernelsOf(Compile(graph, plan, {.shared = &shared})), alone);
    }
  }
}

// The second product ran with the slopes of the first.
TEST(SharedConstantsTest, ProductsOfTheSameWeightsKeepTheirOwnSlopes) {
  Rng rng(5);
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {3, 64});
  const ValueId w = builder.Constant("w", Random({64, 64}, rng));
  const auto activated = [&](const std::string& name, float slope) {
    const ValueId product = builder.Add(OpKind::kGemm, name, {x, w});
    const ValueId slopes =
        builder.Constant(name + ".slope", Tensor::From<float>({1}, std::vector<float>{slope}));
    return builder.Add(OpKind::kPRelu, name + ".prelu", {product, slopes});
  };
  const ValueId first = activated("first", 0.5F);
  const ValueId second = activated("second", -2.0F);
  const Graph graph = builder.Finish({first, second});
  const Executable executable = Compile(graph, ReferencePlan(graph));
  ASSERT_EQ(executable.steps().size(), 2U);
  const Tensor input = Random({3, 64}, rng);
  const std::vector<Tensor> outputs = executable.Run({&input, 1});
  const std::vector<double> halves = DoublesOf(outputs[0]);
  const std::vector<double> doubles = DoublesOf(outputs[1]);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    EXPECT_EQ(doubles[i], halves[i] < 0 ? -4 * halves[i] : halves[i]);
  }
}

TEST(SharedConstantsTest, ClippedWeightsAreApart) {
  SharedConstants shared;
  const Tensor large = Tensor::From<float>({2}, std::vector<float>{1e6F, 1});
  EXPECT_EQ(DoublesOf(shared.Convert(large, DType::kFloat16, true).tensor)[0], 65504);
  EXPECT_TRUE(std::isinf(DoublesOf(shared.Convert(large, DType::kFloat16, false).tensor)[0]));
  EXPECT_EQ(shared.Convert(large, DType::kFloat16, true).clipped.count, 1);
  EXPECT_EQ(shared.Convert(large, DType::kFloat16, false).clipped.count, 0);
}

// A view of the same bytes keeps its own shape.
TEST(SharedConstantsTest, ShapesAreApart) {
  SharedConstants shared;
  const Tensor row = Tensor::From<float>({4}, std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(shared.Convert(row, DType::kBFloat16, true).tensor.shape(), (Shape{4}));
  EXPECT_EQ(shared.Convert(row.Reshaped({2, 2}), DType::kBFloat16, true).tensor.shape(),
            (Shape{2, 2}));
}

// The parts outlive what shared them.
TEST(SharedConstantsTest, ExecutablesOutliveIt) {
  const Graph graph = Net().Make();
  Rng rng(2);
  const Tensor x = Random({3, 64}, rng);
  auto shared = std::make_unique<SharedConstants>();
  const Executable executable =
      Compile(graph, AllOf(graph, DType::kFloat16), {.shared = shared.get()});
  const std::vector<double> before = DoublesOf(executable.Run({&x, 1})[0]);
  shared.reset();
  EXPECT_EQ(DoublesOf(executable.Run({&x, 1})[0]), before);
}

}  // namespace
}  // namespace halftone
