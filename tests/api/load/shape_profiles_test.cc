// One network at several input shapes: read once, weights held once, planned once, and the results
// of networks that are imported apart.
#include "src/api/shape_profiles.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "src/accuracy/tensor_file.h"
#include "src/base/rng.h"
#include "tests/support/image_samples.h"
#include "tests/support/model_writer.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::SharedDir;
using ::halftone::testing::SmallNumbers;
using ::halftone::testing::WriteImageSample;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A convolution with a normalisation that is folded into it, a pool over all pixels, a product, and
// a Reshape whose shape follows the batch.
std::filesystem::path Classifier() {
  Rng rng(7);
  ModelWriter writer;
  writer.Input("x", {-1, 8, -1, -1});
  writer.Floats("w", {32, 8, 3, 3}, SmallNumbers(32 * 8 * 9, rng));
  writer.Node("Conv", "conv", {"x", "w"}, {"c"});
  for (const char* name : {"scale", "bias", "mean"}) {
    writer.Floats(name, {32}, SmallNumbers(32, rng));
  }
  writer.Floats("variance", {32}, std::vector<float>(32, 1.5F));
  writer.Node("BatchNormalization", "norm", {"c", "scale", "bias", "mean", "variance"}, {"n"});
  writer.Node("Relu", "relu", {"n"}, {"r"});
  writer.Node("GlobalAveragePool", "pool", {"r"}, {"p"});
  writer.Integers("flat", {-1, 32});
  writer.Node("Reshape", "reshape", {"p", "flat"}, {"f"});
  writer.Floats("m", {32, 64}, SmallNumbers(32 * 64, rng));
  writer.Node("MatMul", "product", {"f", "m"}, {"y"});
  writer.Output("y");
  return writer.Save();
}

const std::vector<std::string> kShapes = {"x:1,8,10,10", "x:3,8,10,10", "x:1,8,12,16"};

Tensor InputOf(const Model& model) {
  Rng rng(11);
  Tensor x(model.graph.value(model.graph.inputs.at(0)).type);
  for (float& value : x.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  return x;
}

std::map<std::string, const std::byte*> LargeConstants(const Graph& graph) {
  std::map<std::string, const std::byte*> constants;
  for (const Value& value : graph.values) {
    if (value.constant && value.constant->size_bytes() > 1000) {
      constants.emplace(value.name, value.constant->data());
    }
  }
  return constants;
}

TEST(ShapeProfilesTest, ConstantsAreTheSameTensors) {
  const auto path = Classifier();
  const std::vector<Model> profiles = LoadShapeProfiles({.path = path}, kShapes);
  ASSERT_EQ(profiles.size(), 3U);
  const auto constants = LargeConstants(profiles[0].graph);
  EXPECT_EQ(constants.size(), 2U);  // the folded filter, the matrix
  EXPECT_EQ(LargeConstants(profiles[1].graph), constants);
  EXPECT_EQ(LargeConstants(profiles[2].graph), constants);
  EXPECT_EQ(profiles[2].input_shapes, "x:1,8,12,16");
}

TEST(ShapeProfilesTest, ModelsThatWereReadAloneShareThemToo) {
  const Model one = LoadModel({.path = Classifier(), .input_shape = kShapes[0]});
  const Model other = WithInputShape(one, kShapes[1]);
  EXPECT_EQ(LargeConstants(other.graph), LargeConstants(one.graph));
}

// Bit for bit what a network computes that is imported for one shape.
TEST(ShapeProfilesTest, ResultsAreThoseOfSeparateImports) {
  const auto path = Classifier();
  const TargetSpec target = LoadTarget("host");
  for (const char* mode : {"must_keep_origin_dtype", "force_fp16", "allow_mix_precision_bf16"}) {
    const PrecisionOptions precision{.precision_mode = mode};
    CompiledModel together(LoadModel({.path = path, .input_shape = kShapes[0]}), target, precision);
    together.AddShape(kShapes[1]);
    together.AddShape(kShapes[2]);
    together.AddShape(kShapes[1]);
    EXPECT_THAT(together.input_shapes(), ElementsAre(kShapes[0], kShapes[1], kShapes[2]));
    for (std::size_t i = 0; i < kShapes.size(); ++i) {
      CompiledModel apart(LoadModel({.path = path, .input_shape = kShapes[i]}), target, precision);
      const Tensor x = InputOf(together.model(i));
      const Tensor got = together.Run({&x, 1}).at(0);
      const Tensor want = apart.Run({&x, 1}).at(0);
      EXPECT_EQ(got.type(), want.type());
      EXPECT_TRUE(std::ranges::equal(got.bytes(), want.bytes())) << mode << " " << kShapes[i];
    }
  }
}

// A shape more costs neither converted nor packed weights. (3 and 5 images: the same kernels.)
TEST(ShapeProfilesTest, WeightsAreConvertedAndPackedOnce) {
  const TargetSpec target = LoadTarget("host");
  for (const char* mode : {"must_keep_origin_dtype", "force_fp16"}) {
    CompiledModel model(LoadModel({.path = Classifier(), .input_shape = "x:3,8,10,10"}), target,
                        {.precision_mode = mode});
    const std::size_t bytes = model.converted_bytes();
    const std::size_t parts = model.packed_parts();
    EXPECT_GE(parts, 2U) << mode;
    model.AddShape("x:5,8,10,10");
    EXPECT_EQ(model.converted_bytes(), bytes) << mode;
    EXPECT_EQ(model.packed_parts(), parts) << mode;
  }
}

TEST(ShapeProfilesTest, OtherInputsAreRefused) {
  CompiledModel model(LoadModel({.path = Classifier(), .input_shape = kShapes[0]}),
                      LoadTarget("host"), {});
  model.AddShape(kShapes[1]);
  const Tensor x(DType::kFloat32, {2, 8, 10, 10});
  try {
    static_cast<void>(model.Run({&x, 1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "expected inputs of one of the shapes 'x:1,8,10,10', 'x:3,8,10,10', got float32 "
                 "2x8x10x10: add their shape first");
  }
}

TEST(ShapeProfilesTest, TheSameShapesTwiceAreRefused) {
  const std::vector<std::string> shapes = {"x:1,8,10,10", "x: 1, 8, 10, 10"};
  try {
    static_cast<void>(LoadShapeProfiles({.path = Classifier()}, shapes));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "E10001: --input_shape: 'x:1,8,10,10' and 'x: 1, 8, 10, 10' are the same shapes, "
                 "'x:1,8,10,10'; leave one of them out");
  }
}

// Each sample goes to the profile that has its shape.
class ShapeSamplesTest : public ::testing::Test {
 protected:
  void AddSample(int number, const Shape& shape) { WriteImageSample(folder_, number, shape); }

  std::vector<RunResult> Run(std::span<const std::string> shapes) {
    return RunShapeProfiles(
        LoadShapeProfiles({.path = path_}, shapes),
        {LoadTarget("host"), {.precision_mode = "force_fp16"}, {.inputs = folder_.string()}},
        {.threads = 1, .quick_budget_s = 0.001, .full_budget_s = 0.001});
  }

  std::filesystem::path path_ = Classifier();
  std::filesystem::path folder_ = path_.parent_path();
};

TEST_F(ShapeSamplesTest, ChooseTheirProfile) {
  AddSample(0, {1, 8, 10, 10});
  AddSample(1, {1, 8, 12, 16});
  AddSample(2, {1, 8, 10, 10});
  const std::vector<std::string> shapes = {kShapes[0], kShapes[2]};
  const std::vector<RunResult> results = Run(shapes);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].sample_count, 2);
  EXPECT_EQ(results[1].sample_count, 1);
  EXPECT_EQ(results[0].plan_digest, results[1].plan_digest);
  EXPECT_THAT(results[0].warnings, ElementsAre());
  // As the profile alone.
  const RunResult alone =
      RunConfiguration(LoadModel({.path = path_, .input_shape = kShapes[2]}),
                       {LoadTarget("host"),
                        {.precision_mode = "force_fp16"},
                        {.inputs = (folder_ / "test_data_set_1").string()}},
                       {.threads = 1, .quick_budget_s = 0.001, .full_budget_s = 0.001});
  EXPECT_EQ(results[1].measurement.accuracy.Mean("sqnr_db"),
            alone.measurement.accuracy.Mean("sqnr_db"));
}

TEST_F(ShapeSamplesTest, OfOtherShapesAreRefused) {
  AddSample(0, {1, 8, 10, 10});
  AddSample(1, {1, 8, 12, 16});
  AddSample(2, {1, 8, 9, 9});
  const std::vector<std::string> shapes = {kShapes[0], kShapes[2]};
  try {
    Run(shapes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sample 'test_data_set_2' has none of the input shapes "
                                        "'x:1,8,10,10', 'x:1,8,12,16' ("));
    EXPECT_THAT(error.what(), HasSubstr("give its shape too, or leave the sample out"));
  }
}

TEST_F(ShapeSamplesTest, AProfileWithoutSamplesIsRefused) {
  AddSample(0, {1, 8, 10, 10});
  const std::vector<std::string> shapes = {kShapes[0], kShapes[2]};
  try {
    Run(shapes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("input shape 'x:1,8,12,16': "));
    EXPECT_THAT(error.what(), HasSubstr("holds no usable samples"));
  }
}

// A real network with free dimensions: batches of one to three.
TEST(ShapeProfilesTest, ARealNetwork) {
  const auto shared = SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not here";
  }
  const std::filesystem::path path = *shared / "models/katago-transformer-b7c96";
  const auto shape = [](int batch) {
    return fmt::format("InputMask:{0},1,19,19;InputSpatial:{0},22,19,19;InputGlobal:{0},19,1,1",
                       batch);
  };
  const TargetSpec target = LoadTarget("host");
  const PrecisionOptions precision{.precision_mode = "force_fp16"};
  // Angles that differ by head are tables of a row for each head of each image: those of another
  // batch are other constants.
  const auto load = [&](int batch) {
    return LoadModel({.path = path, .input_shape = shape(batch), .fusions_off = {"fuse_rope"}});
  };
  CompiledModel together(load(2), target, precision);
  const std::size_t bytes = together.converted_bytes();
  const std::size_t parts = together.packed_parts();
  together.AddShape(shape(3));
  EXPECT_EQ(together.converted_bytes(), bytes);
  EXPECT_EQ(together.packed_parts(), parts);
  CompiledModel apart(load(3), target, precision);
  const Dataset data = LoadDataset(apart.model(0).graph, {.generated_samples = 1});
  const std::vector<Tensor> got = together.Run(data.Read(0).inputs);
  const std::vector<Tensor> want = apart.Run(data.Read(0).inputs);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(got[i].bytes(), want[i].bytes())) << i;
  }
}

}  // namespace
}  // namespace halftone
