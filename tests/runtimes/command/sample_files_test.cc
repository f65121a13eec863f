#include "src/runtimes/command/sample_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

// y:0 = Relu(x) and z:0 = -x, 1x2.
Graph Network() {
  testing::GraphBuilder builder;
  const ValueId x = builder.Input("x {a}", {1, 2});
  const ValueId y = builder.Add(OpKind::kRelu, "y", {x});
  const ValueId z = builder.Add(OpKind::kNeg, "z", {x});
  return builder.Finish({y, z});
}

Dataset Data() {
  std::vector<Sample> samples;
  for (const float first : {1.0F, 2.0F}) {
    samples.push_back(
        {.name = "s", .inputs = {Tensor::From<float>({1, 2}, std::vector<float>{first, -1})}});
  }
  return Dataset(std::move(samples));
}

std::string Bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override { CreateFolder(folder_.path() / "0"); }

  std::string Message() {
    try {
      static_cast<void>(OutputFolder(folder_.path(), network_).Read(0));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Graph network_ = Network();
  TemporaryFolder folder_{"a test"};
};

TEST(SampleFilesTest, WritesEachSample) {
  const TemporaryFolder folder("a test");
  const Graph network = Network();
  WriteSampleFiles(folder, "inputs", network, Data(), 2, SampleForm::kBin);
  EXPECT_EQ(ReadFile(folder.path() / "inputs/inputs.json"),
            "{\"inputs\":[{\"dtype\":\"float32\",\"index\":0,\"name\":\"x {a}\",\"shape\":[1,2]}],"
            "\"samples\":2}\n");
  EXPECT_EQ(ReadFile(folder.path() / "inputs/0/0.bin"), Bytes({1, -1}));
  EXPECT_EQ(ReadFile(folder.path() / "inputs/1/0.bin"), Bytes({2, -1}));
  WriteSampleFiles(folder, "npy", network, Data(), 1, SampleForm::kNpy);
  EXPECT_THAT(ParseNpy(ReadFile(folder.path() / "npy/0/0.npy"), "f").values<float>(),
              ElementsAre(1, -1));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "npy/1"));
}

TEST_F(OutputFolderTest, ReadsRawFiles) {
  folder_.Write("0/0.bin", Bytes({3, std::nanf("")}));
  folder_.Write("0/1.bin", Bytes({std::numeric_limits<float>::infinity(), 4}));
  const std::vector<Tensor> outputs = OutputFolder(folder_.path(), network_).Read(0);
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].values<float>()[0], 3);
  EXPECT_TRUE(std::isnan(outputs[0].values<float>()[1]));
  EXPECT_EQ(outputs[0].shape(), Shape({1, 2}));
  EXPECT_THAT(outputs[1].values<float>(), ElementsAre(std::numeric_limits<float>::infinity(), 4));
}

TEST_F(OutputFolderTest, ReadsNpyFilesOfOtherFloats) {
  folder_.Write("0/0.npy", FormatNpy(Tensor::From<Float16>(
                               {2}, std::vector{Float16::FromFloat(1.5F), Float16::FromFloat(2)})));
  folder_.Write("0/1.bin", Bytes({0, 0}));
  EXPECT_THAT(OutputFolder(folder_.path(), network_).Read(0)[0].values<float>(),
              ElementsAre(1.5F, 2));
}

TEST_F(OutputFolderTest, ReadsOtherFloatsThatOutputsJsonNames) {
  folder_.Write("outputs.json",
                R"({"outputs":[{"index":0,"name":"y:0","dtype":"float16","shape":[1,2]}]})");
  const std::vector<Float16> halves = {Float16::FromFloat(1.5F), Float16::FromFloat(2)};
  folder_.Write("0/0.bin", {reinterpret_cast<const char*>(halves.data()), 4});
  folder_.Write("0/1.bin", Bytes({0, 0}));
  EXPECT_THAT(OutputFolder(folder_.path(), network_).Read(0)[0].values<float>(),
              ElementsAre(1.5F, 2));
}

TEST_F(OutputFolderTest, FilesThatAreMissingOrHaveAnotherSize) {
  EXPECT_EQ(Message(),
            "outputs/0/0.bin: expected output 'y:0' of sample 0 (from 0), found no such file");
  folder_.Write("0/0.bin", Bytes({1, 2, 3}));
  EXPECT_EQ(Message(), "outputs/0/0.bin: expected 8 bytes, float32 1x2 for output 'y:0', got 12");
  folder_.Write("0/0.npy", FormatNpy(Tensor::From<float>({3}, std::vector<float>{1, 2, 3})));
  EXPECT_EQ(Message(), "outputs/0/0.npy: expected float32 1x2 for output 'y:0', got float32 3");
}

TEST_F(OutputFolderTest, OutputsJsonThatIsNotOfThisNetwork) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", "outputs.json: expected an object with the list \"outputs\""},
      {R"({"outputs":[1]})", "outputs.json: expected objects in \"outputs\""},
      {R"({"outputs":[{"index":2}]})",
       "outputs.json: expected \"index\" from 0 to 1, one of 2 outputs"},
      {R"({"outputs":[{},{},{}]})", "outputs.json: expected 2 outputs, got more"},
      {R"({"outputs":[{"name":"z"}]})",
       "outputs.json: expected 'y:0' as the name of output 0, got \"z\""},
      {R"({"outputs":[{"dtype":"fp8"}]})",
       "outputs.json: expected a type such as \"float32\" as \"dtype\" of output 'y:0'"},
      {R"({"outputs":[{"dtype":"int64"}]})",
       "outputs.json: expected output 'y:0' in float32, got int64"},
      {R"({"outputs":[{"shape":[2,1]}]})",
       "outputs.json: expected the shape [1,2] of output 'y:0', got [2,1]"},
  };
  for (const auto& [text, message] : cases) {
    folder_.Write("outputs.json", text);
    EXPECT_EQ(Message(), message);
  }
}

TEST_F(OutputFolderTest, NoFolder) {
  try {
    const OutputFolder folder(folder_.path() / "none", network_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("/none' of \"outputs\", found none"));
  }
}

}  // namespace
}  // namespace halftone
