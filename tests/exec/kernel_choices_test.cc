// Signatures of operators, and choices that reach the compiled network.
#include "src/exec/kernel_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/exec/operator_signature.h"
#include "src/exec/tunable_steps.h"
#include "tests/support/graph_builder.h"
#include "tests/support/planted_kernels.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::halftone::testing::PlantedKernels;
using ::halftone::testing::PlantProducts;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// x [2, 64] -> MatMul [64, 32] -> Relu -> y
Graph Product() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 64});
  const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {64, 32}));
  const ValueId m = builder.Add(OpKind::kMatMul, "mm", {x, w});
  return builder.Finish({builder.Add(OpKind::kRelu, "relu", {m})});
}

// A key of the knowledge base: a change of the text makes stored timings unreachable.
TEST(OperatorSignatureTest, IsFixed) {
  Attributes attributes;
  attributes.Set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  attributes.Set("value", Tensor::From<float>({1}, std::vector<float>{2}));
  const TensorType x{DType::kFloat16, {1, 56, 56, 64}};
  const TensorType y{DType::kFloat16, {1, 28, 28, 128}};
  const Tensor w(DType::kFloat16, {128, 64, 3, 3});
  const Tensor axes = Tensor::From<std::int64_t>({3}, std::vector<std::int64_t>{0, -2, 7});
  const Fusion fusion{.activation =
                          StepActivation{.op = OpKind::kClip, .low = -1.5F, .high = 6.5F}};
  KernelQuery query{.op = OpKind::kConv,
                    .attributes = &attributes,
                    .fusion = &fusion,
                    .layout = {.channels_last = true}};
  query.inputs = {&x, &w.type(), nullptr, &axes.type()};
  query.constants = {nullptr, &w, nullptr, &axes};
  query.outputs = {&y, nullptr};
  query.impl_mode = ImplMode::kHighPrecision;
  EXPECT_EQ(OperatorSignature(query, 2),
            "Conv 1x28x28x128: float16 1x56x56x64, const float16 128x64x3x3, none, const int64 3 = "
            "0,-2,7 -> float16 1x28x28x128, none; activation=Clip activation_max=6.5 "
            "activation_min=-1.5 channels_last=1 pads=1,1,1,1 value=float32 1 "
            "#593dc26840c7e951774cbd3a1f3bfe73; high_precision; 2 threads");
  EXPECT_EQ(PlaceOf(OperatorSignature(query, 2)), "Conv 1x28x28x128");
}

TEST(OperatorSignatureTest, TheModeIsTheFieldBeforeTheThreads) {
  EXPECT_EQ(WithoutMode("Relu 4: float32 4 -> float32 4; ; high_precision; 2 threads"),
            "Relu 4: float32 4 -> float32 4; ; 2 threads");
  EXPECT_EQ(WithoutMode("no signature"), "no signature");
}

// The part of a signature that has the attributes.
std::string FactsIn(const Fusion& fusion, const StepLayout& layout = {}) {
  const Attributes attributes;
  const TensorType x{DType::kFloat32, {4, 8}};
  KernelQuery query{
      .op = OpKind::kMatMul, .attributes = &attributes, .fusion = &fusion, .layout = layout};
  query.inputs = {&x};
  query.constants = {nullptr};
  query.outputs = {&x};
  const std::string signature = OperatorSignature(query, 1);
  const std::size_t begin = signature.find("; ") + 2;
  return signature.substr(begin, signature.find(';', begin) - begin);
}

// So are these.
TEST(OperatorSignatureTest, NamesOfFusionAndLayoutAreFixed) {
  EXPECT_EQ(FactsIn({}), "");
  EXPECT_EQ(FactsIn({.activation = StepActivation{.op = OpKind::kRelu, .low = 0}}),
            "activation=Relu activation_max=inf activation_min=0");
  EXPECT_EQ(FactsIn({.activation =
                         StepActivation{.op = OpKind::kHardSigmoid, .alpha = 0.25F, .beta = 0.5F}}),
            "activation=HardSigmoid activation_alpha=0.25 activation_beta=0.5");
  EXPECT_EQ(FactsIn({.activation = StepActivation{.op = OpKind::kGelu, .approximate = "tanh"}}),
            "activation=Gelu activation_approximate=tanh");
  EXPECT_EQ(FactsIn({.activation = StepActivation{.op = OpKind::kPRelu, .slopes = {0.5F, 2}}}),
            "activation=PRelu activation_slopes");
  EXPECT_EQ(FactsIn({.residual = ResidualPlace::kBefore}), "residual=before");
  EXPECT_EQ(FactsIn({.residual = ResidualPlace::kAfter}), "residual=after");
  EXPECT_EQ(FactsIn({.b_perm = {0, 2, 1}}), "b_perm=0,2,1");
  EXPECT_EQ(FactsIn({.softmax = StepSoftmax{.scale = 0.125F}}), "scale=0.125");
  EXPECT_EQ(FactsIn({.softmax = StepSoftmax{.fill = -4.0F, .drop = true, .mask_last = true}}),
            "drop=1 fill=-4 mask_last=1 scale=1");
  EXPECT_EQ(FactsIn({.attention = StepAttention{}}), "fill=-inf");
  EXPECT_EQ(
      FactsIn({.attention =
                   StepAttention{.fill = 0, .drop = true, .mask_last = true, .key_rows = true}}),
      "drop=1 fill=0 k_rows=1 mask_last=1");
  EXPECT_EQ(FactsIn({.format = NumericFormat::Named("float32_m10")}), "format=float32_m10");
  EXPECT_EQ(FactsIn({}, {.channels_last = true, .shuffle_groups = 4}),
            "channels_last=1 shuffle_groups=4");
}

// Each of these makes another operator.
TEST(OperatorSignatureTest, TellsOperatorsApart) {
  Attributes attributes;
  attributes.Set("axis", std::int64_t{1});
  Attributes other_attributes;
  other_attributes.Set("axis", std::int64_t{2});
  const TensorType x{DType::kFloat32, {4, 8}};
  const TensorType half{DType::kFloat16, {4, 8}};
  const TensorType wide{DType::kFloat32, {8, 4}};
  const Tensor constant(DType::kFloat32, {4, 8});
  KernelQuery query{.op = OpKind::kSoftmax, .attributes = &attributes};
  query.inputs = {&x};
  query.constants = {nullptr};
  query.outputs = {&x};
  std::vector<std::string> signatures = {OperatorSignature(query, 1), OperatorSignature(query, 2)};
  const auto with = [&](const auto& change) {
    KernelQuery changed = query;
    change(changed);
    signatures.push_back(OperatorSignature(changed, 1));
  };
  with([](KernelQuery& q) { q.op = OpKind::kLogSoftmax; });
  with([&](KernelQuery& q) { q.attributes = &other_attributes; });
  with([&](KernelQuery& q) { q.inputs = {&half}; });
  with([&](KernelQuery& q) { q.inputs = {&wide}; });
  with([&](KernelQuery& q) { q.outputs = {&half}; });
  with([&](KernelQuery& q) { q.constants = {&constant}; });
  with([](KernelQuery& q) { q.impl_mode = ImplMode::kHighPerformance; });
  const Fusion fusions[] = {{.activation = StepActivation{.op = OpKind::kRelu}},
                            {.activation = StepActivation{.op = OpKind::kClip}},
                            {.activation = StepActivation{.op = OpKind::kClip, .low = 0}},
                            {.residual = ResidualPlace::kBefore},
                            {.residual = ResidualPlace::kAfter},
                            {.b_perm = {1, 0}},
                            {.softmax = StepSoftmax{}},
                            {.softmax = StepSoftmax{.fill = -1.0F}},
                            {.attention = StepAttention{}},
                            {.attention = StepAttention{.key_rows = true}},
                            {.format = NumericFormat(DType::kFloat16)}};
  for (const Fusion& fusion : fusions) {
    with([&](KernelQuery& q) { q.fusion = &fusion; });
  }
  with([](KernelQuery& q) { q.layout.channels_last = true; });
  with([](KernelQuery& q) { q.layout.shuffle_groups = 2; });
  std::sort(signatures.begin(), signatures.end());
  EXPECT_EQ(std::adjacent_find(signatures.begin(), signatures.end()), signatures.end());
}

// A convolution over one and over two axes, which run with channels last, and a product.
Graph Convolutions() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 8, 24});
  const ValueId line = builder.Constant("line", Tensor(DType::kFloat32, {16, 8, 3}));
  const ValueId conv1 = builder.Add(OpKind::kConv, "conv1", {x, line});  // [1, 16, 22]
  const ValueId shape = builder.Integers("shape", {1, 16, 2, 11});
  const ValueId image = builder.Add(OpKind::kReshape, "image", {conv1, shape});
  const ValueId square = builder.Constant("square", Tensor(DType::kFloat32, {32, 16, 2, 2}));
  const ValueId conv2 = builder.Add(OpKind::kConv, "conv2", {image, square});  // [1, 32, 1, 10]
  const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {10, 40}));
  return builder.Finish({builder.Add(OpKind::kMatMul, "mm", {conv2, w})});
}

// Otherwise a choice would have an influence that the key of the workload does not name.
TEST(OperatorSignatureTest, EveryStepOfAPlanLiesAtAPlaceOfTheGraph) {
  const PlantedKernels planted({"matmul.f32.highway", "matmul.bf16.highway"});
  for (const Graph& graph : {Product(), Convolutions()}) {
    const auto places = PlacesOf(graph);
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      PrecisionPlan plan = ReferencePlan(graph);
      for (NodePrecision& node : plan.nodes) {
        std::replace(node.inputs.begin(), node.inputs.end(), DType::kFloat32, dtype);
        std::replace(node.outputs.begin(), node.outputs.end(), DType::kFloat32, dtype);
      }
      const auto steps = TunableSteps(graph, plan, 1);
      EXPECT_FALSE(steps.empty());
      for (const TunableStep& step : steps) {
        EXPECT_THAT(places, Contains(std::string(PlaceOf(step.signature))));
      }
    }
  }
  EXPECT_THAT(PlacesOf(Product()), Contains("MatMul 2x32"));
  EXPECT_THAT(PlacesOf(Product()), Contains("Cast 2x64"));
}

TEST(TunableStepsTest, AreThoseThatSeveralKernelsTake) {
  const PlantedKernels planted = PlantProducts();
  const Graph graph = Product();
  const Executable executable = Compile(graph, ReferencePlan(graph));
  const auto steps = TunableSteps(graph, ReferencePlan(graph), 1);
  ASSERT_EQ(steps.size(), 1U) << "Relu has one kernel besides its reference";
  EXPECT_EQ(steps[0].node, "mm");
  EXPECT_EQ(steps[0].op, "MatMul");
  EXPECT_THAT(steps[0].signature, StartsWith("MatMul 2x32: float32 2x64, const float32 64x32"));
  ASSERT_GE(steps[0].kernels.size(), 2U);
  EXPECT_EQ(steps[0].kernels[0], executable.steps()[steps[0].step].kernel) << "the static order";
  EXPECT_TRUE(steps[0].memory_bound) << "2048 weights for 64 results";
}

class KernelChoicesTest : public ::testing::Test {
 protected:
  [[nodiscard]] StepInfo Compiled(const KernelChoices& choices) const {
    return Compile(graph_, ReferencePlan(graph_), {.kernels = {}, .choices = choices})
        .steps()[step_.step];
  }

  PlantedKernels planted_ = PlantProducts();
  Graph graph_ = Product();
  TunableStep step_ = TunableSteps(graph_, ReferencePlan(graph_), 1).at(0);
};

TEST_F(KernelChoicesTest, AChoiceWinsOverTheStaticOrder) {
  KernelChoices choices(1);
  choices.Set(step_.signature, step_.kernels[1]);
  const StepInfo tuned = Compiled(choices);
  EXPECT_EQ(tuned.kernel, step_.kernels[1]);
  EXPECT_TRUE(tuned.tuned);
  ASSERT_FALSE(tuned.passed_over.empty());
  EXPECT_EQ(tuned.passed_over.back().kernel, step_.kernels[0]);
  EXPECT_EQ(tuned.passed_over.back().reason, "was slower here (operator tuning)");
  EXPECT_FALSE(Compiled({}).tuned);
}

TEST_F(KernelChoicesTest, OfAnotherNumberOfThreadsDoesNotMatch) {
  KernelChoices choices(2);
  choices.Set(step_.signature, step_.kernels[1]);
  EXPECT_EQ(Compiled(choices).kernel, step_.kernels[0]);
}

TEST_F(KernelChoicesTest, AKernelThatDoesNotServeIsPassedOver) {
  const struct {
    const char* kernel;
    const char* reason;
  } rows[] = {{"matmul.f32.of_another_version", "is no kernel of this operator (any more)"},
              {"matmul.bf16.highway", "does not compute float32"},
              {"matmul.reference", "is the reference"}};

  for (const auto& row : rows) {
    KernelChoices choices(1);
    choices.Set(step_.signature, row.kernel);
    const StepInfo step = Compiled(choices);
    EXPECT_EQ(step.kernel, step_.kernels[0]) << row.kernel;
    EXPECT_FALSE(step.tuned);
    ASSERT_FALSE(step.passed_over.empty());
    EXPECT_EQ(step.passed_over.back().kernel, row.kernel);
    EXPECT_EQ(step.passed_over.back().reason, row.reason);
  }
}

TEST_F(KernelChoicesTest, OfOtherNetworksAreNoPartOfTheDigest) {
  KernelChoices choices(1);
  EXPECT_EQ(choices.Digest(), Hash128{});
  choices.Set("MatMul 3x32: of another network; 1 thread", "matmul.f32.onednn");
  EXPECT_NE(choices.Digest(), Hash128{});
  EXPECT_THAT(choices.For(graph_).kernels(), IsEmpty());
  choices.Set(TunableSteps(graph_, ReferencePlan(graph_), 11).at(0).signature, step_.kernels[1]);
  EXPECT_THAT(choices.For(graph_).kernels(), IsEmpty()) << "11 threads are not 1";
  choices.Set(step_.signature, step_.kernels[1]);
  KernelChoices own(1);
  own.Set(step_.signature, step_.kernels[1]);
  EXPECT_EQ(choices.For(graph_), own);
  EXPECT_NE(choices.Digest(), own.Digest());
  own.Set(step_.signature, step_.kernels[0]);
  EXPECT_NE(choices.For(graph_).Digest(), own.Digest()) << "another kernel, another digest";
}

}  // namespace
}  // namespace halftone
