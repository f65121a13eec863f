#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>

#include "halftone/data.h"
#include "src/accuracy/dataset.h"
#include "src/base/error.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Inputs x [1, 2] and k [], output y [1, 3].
Graph TwoInputs() {
  Graph graph;
  graph.inputs = {graph.AddValue({.name = "x", .type = {DType::kFloat32, {1, 2}}}),
                  graph.AddValue({.name = "k", .type = {DType::kInt64, {}}})};
  graph.outputs = {graph.AddValue({.name = "y", .type = {DType::kFloat32, {1, 3}}})};
  return graph;
}

Graph OneInput() {
  Graph graph = TwoInputs();
  graph.inputs.pop_back();
  return graph;
}

template <typename T>
Tensor Made(Shape shape, const std::vector<T>& values) {
  return Tensor::From<T>(std::move(shape), values);
}

DatasetOptions OptionsOf(SampleArrays arrays) {
  DatasetOptions options;
  options.arrays = std::make_shared<const SampleArrays>(std::move(arrays));
  return options;
}

std::string MessageOf(const Graph& graph, const DatasetOptions& options, ErrorKind kind) {
  try {
    LoadDataset(graph, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(SampleArraysTest, StackedSamplesByName) {
  SampleArrays arrays;
  arrays.name = "inputs";
  arrays.inputs = {{"k", Made<std::int64_t>({}, {5})},
                   {"x", Made<float>({3, 2}, {1, 2, 3, 4, 5, 6})}};
  arrays.labels = Made<std::int64_t>({3}, {0, 2, 1});
  const Dataset dataset = LoadDataset(TwoInputs(), OptionsOf(arrays));
  ASSERT_EQ(dataset.size(), 3U);
  EXPECT_TRUE(dataset.representative);
  EXPECT_EQ(dataset.NameOf(2), "inputs[2]");
  const Sample sample = dataset.Read(1);
  EXPECT_THAT(sample.inputs[0].values<float>(), ElementsAre(3, 4));
  EXPECT_THAT(sample.inputs[1].values<std::int64_t>(), ElementsAre(5))
      << "the same in every sample";
  EXPECT_EQ(dataset.labels()[1][0], 2);
}

// A knowledge base knows samples by their content: those of a file and of memory are the same.
TEST(SampleArraysTest, HashIsThatOfTheFile) {
  const Graph graph = [] {
    Graph digits;
    digits.inputs = {digits.AddValue({.name = "pixels", .type = {DType::kFloat32, {1, 1, 8, 8}}})};
    digits.outputs = {digits.AddValue({.name = "p", .type = {DType::kFloat32, {1, 10}}})};
    return digits;
  }();
  const std::string folder = (testing::SourceDir() / "examples/digits").string();
  DatasetOptions files;
  files.inputs = folder + "/search_inputs.npy";
  files.labels = folder + "/search_labels.npy";
  const Dataset of_files = LoadDataset(graph, files);
  std::vector<float> values;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < of_files.size(); ++i) {
    const Sample sample = of_files.Read(i);
    const auto pixels = sample.inputs[0].values<float>();
    values.insert(values.end(), pixels.begin(), pixels.end());
    labels.push_back(of_files.labels()[i][0]);
  }
  const auto count = static_cast<std::int64_t>(of_files.size());
  SampleArrays arrays;
  arrays.inputs = {{"", Made<float>({count, 1, 8, 8}, values)}};
  arrays.labels = Made<std::int64_t>({count}, labels);
  EXPECT_EQ(LoadDataset(graph, OptionsOf(arrays)).Hash(), of_files.Hash());
}

TEST(SampleArraysTest, LimitsAndDrawsApply) {
  SampleArrays arrays;
  arrays.inputs = {{"", Made<float>({4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}};
  arrays.labels = Made<std::int64_t>({4}, {0, 1, 2, 0});
  DatasetOptions options = OptionsOf(arrays);
  options.max_samples = 2;
  const Dataset first = LoadDataset(OneInput(), options);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first.labels()[1][0], 1);
  options.max_samples = 0;
  options.draw_samples = 3;
  EXPECT_EQ(LoadDataset(OneInput(), options).drawn_from, 4U);
}

TEST(SampleArraysTest, ConvertedAsFilesAre) {
  SampleArrays arrays;
  arrays.inputs = {{"x", Made<double>({1, 2}, {0.5, 0.25})}};
  const Dataset dataset = LoadDataset(OneInput(), OptionsOf(arrays));
  EXPECT_THAT(dataset.Read(0).inputs[0].values<float>(), ElementsAre(0.5, 0.25));
  EXPECT_THAT(dataset.notes,
              ElementsAre("'arrays' holds double values: rounded to float32 for input "
                          "'x'"));
}

TEST(SampleArraysTest, WhatIsWrongIsOneSentence) {
  const Tensor x = Made<float>({1, 2}, {1, 2});
  const Tensor k = Made<std::int64_t>({}, {5});
  SampleArrays arrays;
  arrays.inputs = {{"", x}};
  EXPECT_EQ(MessageOf(TwoInputs(), OptionsOf(arrays), ErrorKind::kUsage),
            "'arrays' is one array without a name, the network has 2 inputs: give one for each of "
            "'x', 'k'");
  arrays.inputs = {{"x", x}};
  EXPECT_EQ(
      MessageOf(TwoInputs(), OptionsOf(arrays), ErrorKind::kUsage),
      "'arrays' has no array 'k': expected one for each input of the network, 'x', 'k'; found "
      "'x'");
  arrays.inputs = {{"y", x}};
  EXPECT_EQ(MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kUsage),
            "'arrays' has an array 'y', and the network no input of that name: its inputs are 'x'");
  arrays.inputs = {{"x", x}, {"k", k}, {"mask", x}};
  EXPECT_THAT(MessageOf(TwoInputs(), OptionsOf(arrays), ErrorKind::kUsage),
              HasSubstr("has an array 'mask'"));
  arrays.inputs = {{"", Made<float>({1, 3}, {1, 2, 3})}};
  EXPECT_THAT(MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kModel),
              StartsWith("'arrays': input 'x' expects float32 1x2 or several of them stacked"));
  arrays.inputs = {{"", Made<float>({0, 2}, {})}};
  EXPECT_THAT(MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kModel),
              HasSubstr("'arrays' holds no samples"));
  arrays.inputs = {{"", Made<std::int64_t>({1, 2}, {1, 2})}};
  EXPECT_THAT(MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kModel), HasSubstr("int64"));
  arrays.inputs = {{"", Made<float>({1, 2}, {1, std::numeric_limits<float>::quiet_NaN()})}};
  EXPECT_THAT(MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kModel), HasSubstr("'arrays'"));

  arrays.inputs = {{"", x}};
  arrays.labels = Made<float>({1}, {1});
  EXPECT_EQ(
      MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kModel),
      "'labels of arrays': expected labels of an integer type, the class index of each sample, "
      "found float32 1");
  arrays.labels = Made<std::int64_t>({1}, {3});
  EXPECT_THAT(MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kModel),
              HasSubstr("sample 0 has the label 3, the network has 3 classes"));
  arrays.labels = Made<std::int64_t>({1}, {1});
  arrays.labels_output = "z";
  EXPECT_EQ(MessageOf(OneInput(), OptionsOf(arrays), ErrorKind::kUsage),
            "--labels: 'z': the network has no output 'z'; its outputs are 'y'");

  DatasetOptions both = OptionsOf(arrays);
  both.inputs = "x.npy";
  EXPECT_THAT(MessageOf(OneInput(), both, ErrorKind::kUsage), HasSubstr("samples in memory"));
}

TEST(SampleArraysTest, StatesMayBeLeftOut) {
  Graph graph;
  graph.inputs = {graph.AddValue({.name = "x", .type = {DType::kFloat32, {1, 2}}}),
                  graph.AddValue({.name = "h", .type = {DType::kFloat32, {1, 2}}})};
  graph.outputs = {graph.AddValue({.name = "hn", .type = {DType::kFloat32, {1, 2}}})};
  SampleArrays arrays;
  arrays.inputs = {{"x", Made<float>({2, 2}, {1, 2, 3, 4})}};
  DatasetOptions options = OptionsOf(arrays);
  options.state = "hn:h";
  const Dataset steps = LoadDataset(graph, options);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_THAT(steps.Read(1).inputs[1].values<float>(), ElementsAre(0, 0));
}

}  // namespace
}  // namespace halftone
