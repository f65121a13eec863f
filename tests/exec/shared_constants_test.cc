// Executables that share constants compute what those without do, and hold them once.
#include "src/exec/shared_constants.h"

#include <gtest/gtest.h>

#include <cmath>

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
    for (DType& input : node.inputs) {
      input = input == DType::kFloat32 ? dtype : input;
    }
    for (DType& output : node.outputs) {
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
  const std::size_t weights = 2 * (64 * 64 + 64 + 96 * 3 * 3 * 3);
  EXPECT_EQ(shared.converted_bytes(), weights);
  EXPECT_EQ(shared.prepared_count(), 2 * of_float);
  Compile(graph, AllOf(graph, DType::kFloat16), {.shared = &shared});
  Compile(graph, ReferencePlan(graph), {.shared = &shared});
  EXPECT_EQ(shared.converted_bytes(), weights);
  EXPECT_EQ(shared.prepared_count(), 2 * of_float);
}

// Weights clipped to the float16 range are other weights than infinite ones.
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
