// A session computes what was measured, on memory of the caller, for several shapes.
#include "halftone/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"
#include "tests/api/session/digits_point.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::Digit;
using ::halftone::testing::DigitsModel;
using ::halftone::testing::DigitsPoint;
using ::testing::ElementsAre;

PrecisionOptions Mode(const char* mode) {
  PrecisionOptions options;
  options.precision_mode = mode;
  return options;
}

std::shared_ptr<const PrecisionOptions> SharedMode(const char* mode) {
  return std::make_shared<const PrecisionOptions>(Mode(mode));
}

std::vector<std::byte> BytesOf(const Tensor& tensor) {
  return {tensor.bytes().begin(), tensor.bytes().end()};
}

Tensor Measured(const PrecisionPlan& plan, const Graph& graph, const Tensor& input) {
  const Executable executable = Compile(graph, plan);
  return executable.Run(executable.ConvertInputs({{input}})).at(0);
}

TEST(SessionTest, PointHasTheBitsThatWereMeasured) {
  const Model model = LoadModel({.path = DigitsModel()});
  const TargetSpec target = LoadTarget("host");
  for (const char* mode : {"force_fp16", "allow_mix_precision_bf16", "force_fp32"}) {
    const PrecisionPlan plan = ResolvePrecision(model.graph, Mode(mode), target);
    const DigitsPoint point;
    const Session session(DigitsModel(), {.point = point.Write(Mode(mode)), .threads = 1});
    EXPECT_EQ(session.plan_digest(), plan.Digest().ToHex()) << mode;
    EXPECT_THAT(session.notes(), ::testing::IsEmpty()) << mode;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(BytesOf(session.Run({{Digit(i)}}).at(0)),
                BytesOf(Measured(plan, model.graph, Digit(i))))
          << mode << ", sample " << i;
    }
  }
}

TEST(SessionTest, WithoutAConfigurationIsTheReference) {
  const Model model = LoadModel({.path = DigitsModel()});
  const Session session(model);
  EXPECT_EQ(BytesOf(session.Run({{Digit(0)}}).at(0)),
            BytesOf(Measured(ReferencePlan(model.graph), model.graph, Digit(0))));
}

TEST(SessionTest, NamesInputsAndOutputs) {
  const Session session(DigitsModel(), {.threads = 1});
  ASSERT_EQ(session.inputs().size(), 1U);
  EXPECT_EQ(session.inputs()[0].name, "pixels");
  EXPECT_EQ(session.inputs()[0].dtype, DType::kFloat32);
  EXPECT_THAT(session.inputs()[0].shape, ElementsAre(1, 1, 8, 8));
  ASSERT_EQ(session.outputs().size(), 1U);
  EXPECT_THAT(session.outputs()[0].shape, ElementsAre(1, 10));
  EXPECT_THAT(session.input_shapes(), ElementsAre("pixels:1,1,8,8"));
  EXPECT_EQ(session.threads(), 1);

  const std::map<std::string, Tensor> results =
      session.Run(std::map<std::string, Tensor>{{"pixels", Digit(0)}});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.begin()->first, session.outputs()[0].name);
  EXPECT_EQ(BytesOf(results.begin()->second), BytesOf(session.Run({{Digit(0)}}).at(0)));
}

TEST(SessionTest, ExplainsItself) {
  const Session session(DigitsModel(), {.precision = SharedMode("force_fp16")});
  EXPECT_THAT(session.configuration(), ::testing::HasSubstr("force_fp16"));
  EXPECT_THAT(session.Explain(), ::testing::HasSubstr("stem/conv"));
  EXPECT_THAT(session.Explain("json"), ::testing::HasSubstr(session.plan_digest()));
}

// Elements at any address are read and written, and nothing beside them.
TEST(SessionTest, TakesMemoryAtAnyAddress) {
  const Session session(DigitsModel(), {.precision = SharedMode("force_fp16"), .threads = 1});
  const Tensor digit = Digit(3);
  const std::vector<std::byte> expected = BytesOf(session.Run({{digit}}).at(0));
  constexpr std::byte kUntouched{0xA5};
  for (const std::size_t offset : {0, 4, 1, 63}) {
    alignas(64) std::byte in[64 + 256 + 64];
    alignas(64) std::byte out[64 + 40 + 64];
    std::ranges::fill(out, kUntouched);
    std::memcpy(in + offset, digit.data(), digit.size_bytes());
    const ConstTensorView inputs[] = {{in + offset, DType::kFloat32, session.inputs()[0].shape}};
    const TensorView outputs[] = {{out + offset, DType::kFloat32, session.outputs()[0].shape}};
    session.Run(inputs, outputs);
    EXPECT_EQ(std::vector(out + offset, out + offset + 40), expected) << offset;
    EXPECT_TRUE(std::all_of(out, out + offset, [](std::byte b) { return b == kUntouched; }));
    EXPECT_TRUE(std::all_of(out + offset + 40, out + sizeof(out),
                            [](std::byte b) { return b == kUntouched; }));
  }
}

Model TwoInputs() {
  testing::GraphBuilder builder;
  const ValueId state = builder.Input("state", {1, 16});
  const ValueId step = builder.Input("step", {1, 16});
  const ValueId next = builder.Add(OpKind::kAdd, "next", {state, step});
  const ValueId doubled = builder.Add(OpKind::kMul, "product", {state, next});
  Model model;
  model.name = "two_inputs";
  model.graph = builder.Finish({next, doubled});
  return model;
}

// The state of a recurrent network is fed back in place.
TEST(SessionTest, OutputMayBeTheMemoryOfAnInput) {
  const Session session(TwoInputs(), {.threads = 1});
  alignas(64) float state[16] = {};
  alignas(64) float product[16] = {};
  alignas(64) float step[16];
  std::ranges::fill(step, 1.5F);
  const std::int64_t shape[] = {1, 16};
  for (int i = 0; i < 3; ++i) {
    const ConstTensorView inputs[] = {{state, DType::kFloat32, shape},
                                      {step, DType::kFloat32, shape}};
    const TensorView outputs[] = {{state, DType::kFloat32, shape},
                                  {product, DType::kFloat32, shape}};
    session.Run(inputs, outputs);
  }
  EXPECT_THAT(state, ::testing::Each(4.5F));
  EXPECT_THAT(product, ::testing::Each(3.0F * 4.5F));  // of the state before the last step
}

TEST(SessionTest, OutputWithoutMemoryIsLeftOut) {
  const Session session(TwoInputs(), {.threads = 1});
  const Tensor ones = Tensor::From<float>({1, 16}, std::vector<float>(16, 1.0F));
  Tensor product(DType::kFloat32, Shape({1, 16}));
  const ConstTensorView inputs[] = {ViewOf(ones), ViewOf(ones)};
  const TensorView outputs[] = {{}, MutableViewOf(product)};
  session.Run(inputs, outputs);
  EXPECT_THAT(product.values<float>(), ::testing::Each(2.0F));
}

TEST(SessionTest, RunsInAPoolOfTheCaller) {
  const auto pool = std::make_shared<ThreadPool>(2);
  const Session session(DigitsModel(), {.precision = SharedMode("force_fp16"), .pool = pool});
  EXPECT_EQ(session.threads(), 2);
  const Session own(DigitsModel(), {.precision = SharedMode("force_fp16"), .threads = 1});
  EXPECT_EQ(BytesOf(session.Run({{Digit(1)}}).at(0)), BytesOf(own.Run({{Digit(1)}}).at(0)));
}

TEST(SessionTest, RunsTheShapesOfItsPoint) {
  const std::string shapes[] = {"pixels:1,1,8,8", "pixels:2,1,8,8"};
  std::vector<Model> models;
  try {
    models = LoadShapeProfiles({.path = DigitsModel()}, shapes);
  } catch (const Error& error) {
    GTEST_SKIP() << "SKIPPED: the network has one shape: " << error.what();
  }
  const DigitsPoint point;
  Session session(DigitsModel(), {.point = point.Write(Mode("force_fp16"), models), .threads = 1});
  EXPECT_THAT(session.input_shapes(), ElementsAre(shapes[0], shapes[1]));
  EXPECT_EQ(session.AddShape("pixels:2,1,8,8"), 1U);  // is there
  EXPECT_EQ(session.AddShape("pixels:3,1,8,8"), 2U);
  EXPECT_THAT(session.outputs(2)[0].shape, ElementsAre(3, 10));
  const Tensor batch(DType::kFloat32, Shape({3, 1, 8, 8}));
  EXPECT_EQ(session.Run({{batch}}).at(0).shape(), Shape({3, 10}));
}

TEST(SessionTest, ReservesContexts) {
  Session session(DigitsModel(), {.threads = 1});
  EXPECT_EQ(session.contexts(), 0U);
  (void)session.Run({{Digit(0)}});
  (void)session.Run({{Digit(0)}});
  EXPECT_EQ(session.contexts(), 1U);
  const std::size_t one = session.arena_bytes();
  EXPECT_GT(one, 0U);
  session.Reserve(3);
  EXPECT_EQ(session.contexts(), 3U);
  EXPECT_EQ(session.arena_bytes(), 3 * one);
  for (const std::size_t runs : {std::size_t{4097}, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_THROW(session.Reserve(runs), Error) << runs;
  }
  EXPECT_EQ(session.contexts(), 3U) << "nothing was made";
}

}  // namespace
}  // namespace halftone
