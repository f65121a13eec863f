// A network whose shapes depend on data is read for a sample, and other samples must agree.
#include "src/api/load/traced_samples.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halftone/data.h"
#include "src/api/shape_profiles.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::testing::HasSubstr;

void WriteInput(const std::filesystem::path& file, int type, const std::vector<std::int64_t>& dims,
                const std::vector<double>& values) {
  onnx::TensorProto tensor;
  tensor.set_data_type(type);
  tensor.mutable_dims()->Add(dims.begin(), dims.end());
  for (const double value : values) {
    if (type == onnx::TensorProto::FLOAT) {
      tensor.add_float_data(static_cast<float>(value));
    } else {
      tensor.add_int64_data(static_cast<std::int64_t>(value));
    }
  }
  WriteFileAtomically(file, tensor.SerializeAsString());
}

// y = reshape(x, shape), with sample i of the shapes given.
std::filesystem::path ReshapeWithSamples(const std::vector<std::vector<double>>& shapes) {
  ModelWriter writer;
  writer.Input("x", {6});
  writer.Input("shape", {2}, onnx::TensorProto::INT64);
  writer.Node("Neg", "neg", {"x"}, {"n"});
  writer.Node("Reshape", "reshape", {"n", "shape"}, {"y"});
  writer.Output("y");
  const std::filesystem::path folder = writer.Save().parent_path();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto set = folder / fmt::format("test_data_set_{}", i);
    WriteInput(set / "input_0.pb", onnx::TensorProto::FLOAT, {6}, {1, 2, 3, 4, 5, 6});
    WriteInput(set / "input_1.pb", onnx::TensorProto::INT64, {2}, shapes[i]);
  }
  return folder;
}

Model Load(const std::filesystem::path& folder) {
  return LoadModel({.path = folder, .input_shape = {}, .inputs = folder.string()});
}

TEST(TracedSamples, AgreeingSamplesAreLoaded) {
  const auto folder = ReshapeWithSamples({{2, 3}, {2, 3}});
  const Model model = Load(folder);
  EXPECT_EQ(model.graph.value(model.graph.outputs[0]).type.ToString(), "float32 2x3");
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_EQ(model.notes[0],
            "shapes and branches are those of the first sample, where 'shape' is int64 2 [2, 3]");
  EXPECT_EQ(LoadSamples(model, {.inputs = folder.string()}).size(), 2U);
}

// Shapes that the model leaves open, and values that shapes depend on, from arrays as from files.
TEST(TracedSamples, OfArraysInMemory) {
  const auto folder = ReshapeWithSamples({{2, 3}});
  SampleArrays arrays;
  arrays.inputs = {
      {"x", Tensor::From<float>({2, 6}, std::vector<float>{1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1})},
      {"shape", Tensor::From<std::int64_t>({2, 2}, std::vector<std::int64_t>{3, 2, 3, 2})}};
  ModelOptions options;
  options.path = folder;
  options.arrays = std::make_shared<const SampleArrays>(arrays);
  const Model model = LoadModel(options);
  EXPECT_EQ(model.graph.value(model.graph.outputs[0]).type.ToString(), "float32 3x2");

  ModelWriter writer;
  writer.Input("x", {-1, -1});
  writer.Node("Neg", "neg", {"x"}, {"y"});
  writer.Output("y");
  options.path = writer.Save();
  arrays.inputs.pop_back();
  options.arrays = std::make_shared<const SampleArrays>(arrays);
  EXPECT_EQ(LoadModel(options).input_shapes, "x:1,6") << "the first axis counts samples";
}

TEST(TracedSamples, ASampleWithAnotherShapeIsNamed) {
  const auto folder = ReshapeWithSamples({{2, 3}, {3, 2}});
  const Model model = Load(folder);
  try {
    static_cast<void>(LoadSamples(model, {.inputs = folder.string()}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(
        error.what(),
        HasSubstr("sample 'test_data_set_1': 'shape' is int64 2 [3, 2], it is int64 2 [2, 3] "
                  "in the sample that the model was read for; shapes or branches depend on "
                  "it, so give samples for which it is the same"));
  }
}

TEST(TracedSamples, OtherShapesAreOtherModels) {
  EXPECT_NE(Load(ReshapeWithSamples({{2, 3}})).hash, Load(ReshapeWithSamples({{3, 2}})).hash);
}

// y = the elements of x scale that are not zero; sample i is x.
std::filesystem::path NonZeroWithSamples(const std::vector<std::vector<double>>& samples,
                                         float scale = 1) {
  ModelWriter writer;
  writer.Input("x", {1, 4});
  writer.Floats("scale", {1}, {scale});
  writer.Node("Mul", "mul", {"x", "scale"}, {"m"});
  writer.Node("NonZero", "where", {"m"}, {"z"});
  writer.Node("Transpose", "turn", {"z"}, {"t"});
  writer.Node("GatherND", "take", {"x", "t"}, {"y"});
  writer.Output("y");
  const std::filesystem::path folder = writer.Save().parent_path();
  std::filesystem::remove_all(folder / "test_data_set_1");
  std::filesystem::remove_all(folder / "test_data_set_2");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    WriteInput(folder / fmt::format("test_data_set_{}", i) / "input_0.pb", onnx::TensorProto::FLOAT,
               {1, 4}, samples[i]);
  }
  return folder;
}

RunResult RunFloat16(const std::filesystem::path& folder) {
  return RunConfiguration(
      Load(folder),
      {LoadTarget("host"), {.precision_mode = "force_fp16"}, {.inputs = folder.string()}},
      {.threads = 1, .quick_budget_s = 0.001, .full_budget_s = 0.001});
}

// Other values at other places: as many of them is all that samples must agree in.
TEST(TracedSamples, ValuesAreThoseOfEachSample) {
  const auto folder = NonZeroWithSamples({{1, 0, 2, 0}, {0, 3, 0, 4.0001}});
  const RunResult result = RunFloat16(folder);
  EXPECT_EQ(result.sample_count, 2);
  // 4.0001 is no float16 number: the error of the second sample counts.
  EXPECT_EQ(result.measurement.accuracy.Find("max_abs")->worst_sample, 1);
  EXPECT_GT(result.measurement.accuracy.Find("max_abs")->worst, 0);
}

TEST(TracedSamples, ASampleWithAnotherNumberIsNamed) {
  const auto folder = NonZeroWithSamples({{1, 0, 2, 0}, {0, 3, 0, 0}});
  try {
    RunFloat16(folder);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("sample 'test_data_set_1': 'where/count' is int64 scalar [1], it is "
                          "int64 scalar [2] in the sample that the model was read for"));
  }
}

// Each number of results is a network of its own, with the weights of the others.
TEST(TracedSamples, SamplesWithOtherNumbersAreProfilesOfTheirOwn) {
  const auto folder = NonZeroWithSamples({{1, 0, 2, 0}, {0, 3, 0, 0}, {0, 0, 5, 6}});
  const std::vector<std::string> shapes = {""};
  const DatasetOptions data{.inputs = folder.string()};
  const std::vector<Model> profiles =
      LoadSampleProfiles({.path = folder, .inputs = folder.string()}, shapes, data);
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(NameOfProfile(profiles, 0), "x:1,4, where 'where/count' is int64 scalar [2]");
  EXPECT_EQ(NameOfProfile(profiles, 1), "x:1,4, where 'where/count' is int64 scalar [1]");
  EXPECT_THAT(profiles[1].notes,
              ::testing::ElementsAre("shapes and branches are those of sample 'test_data_set_1', "
                                     "where 'where/count' is int64 scalar [1]"));
  EXPECT_NE(profiles[0].hash, profiles[1].hash);
  const std::vector<RunResult> results =
      RunShapeProfiles(profiles, {LoadTarget("host"), {.precision_mode = "force_fp16"}, data},
                       {.threads = 1, .quick_budget_s = 0.001, .full_budget_s = 0.001});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].sample_count, 2);
  EXPECT_EQ(results[1].sample_count, 1);
  std::filesystem::remove_all(folder / "test_data_set_2");
}

TEST(TracedSamples, TooManyOfThemAreRefused) {
  std::vector<std::vector<double>> shapes;
  for (int n = 1; n <= 17; ++n) {
    shapes.push_back({1, static_cast<double>(n)});
  }
  ModelWriter writer;
  writer.Input("x", {1});
  writer.Input("shape", {2}, onnx::TensorProto::INT64);
  writer.Node("Expand", "expand", {"x", "shape"}, {"y"});
  writer.Output("y");
  const std::filesystem::path folder = writer.Save().parent_path();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto set = folder / fmt::format("test_data_set_{}", i);
    WriteInput(set / "input_0.pb", onnx::TensorProto::FLOAT, {1}, {1});
    WriteInput(set / "input_1.pb", onnx::TensorProto::INT64, {2}, shapes[i]);
  }
  const std::vector<std::string> one = {""};
  try {
    static_cast<void>(LoadSampleProfiles({.path = folder, .inputs = folder.string()}, one,
                                         {.inputs = folder.string()}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "sample 'test_data_set_16': 16 samples before it have as many different shapes or "
                 "branches, and each is a network of its own: give fewer samples");
  }
}

// 1e-9 is 0 in float16: there is nothing to compare.
TEST(TracedSamples, APrecisionThatFindsAnotherNumberIsRefused) {
  const auto folder = NonZeroWithSamples({{1, 0, 2, 0}}, 1e-9F);
  try {
    RunFloat16(folder);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(
        error.what(),
        "sample 'test_data_set_0': node 'where' (NonZero) finds another number of elements "
        "than its shape 2x2 is planned for; float32 finds as many, so keep what stands "
        "before it in float32");
  }
}

}  // namespace
}  // namespace halftone
