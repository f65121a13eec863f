#include "src/accuracy/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "src/accuracy/metrics.h"
#include "src/accuracy/split.h"
#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/tensor_proto.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// A network of inputs only: a dataset knows nothing else of it.
Graph GraphOf(const std::vector<std::pair<std::string, TensorType>>& inputs) {
  Graph graph;
  for (const auto& [name, type] : inputs) {
    graph.inputs.push_back(graph.AddValue({.name = name, .type = type, .constant = {}}));
  }
  return graph;
}

const TensorType kImage{DType::kFloat32, {1, 2}};

Tensor Floats(Shape shape, std::vector<float> values) {
  return Tensor::From<float>(std::move(shape), values);
}

Tensor Longs(Shape shape, std::vector<std::int64_t> values) {
  return Tensor::From<std::int64_t>(std::move(shape), values);
}

// A fresh folder per test.
class DatasetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("halftone_dataset_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void TearDown() override { fs::remove_all(folder_); }

  std::string Npy(const std::string& name, const Tensor& tensor) {
    WriteFileAtomically(folder_ / name, FormatNpy(tensor));
    return (folder_ / name).string();
  }

  std::string Proto(const std::string& name, const Tensor& tensor) {
    fs::create_directories((folder_ / name).parent_path());
    WriteTensorProto(folder_ / name, tensor, "x");
    return (folder_ / name).string();
  }

  // The message with the folder left out.
  std::string MessageOf(const Graph& graph, const DatasetOptions& options) {
    try {
      LoadDataset(graph, options);
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at = message.find(prefix); at != std::string::npos;
           at = message.find(prefix)) {
        message.erase(at, prefix.size());
      }
      return message;
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(DatasetTest, SetsAreSortedByNumber) {
  for (const int number : {10, 2, 0}) {
    Proto("test_data_set_" + std::to_string(number) + "/input_0.pb",
          Floats({1, 2}, {static_cast<float>(number), 0}));
  }
  fs::create_directories(folder_ / "test_data_set_x");
  const Dataset dataset = LoadDataset(GraphOf({{"x", kImage}}), {.inputs = folder_.string()});
  ASSERT_EQ(dataset.size(), 3U);
  EXPECT_TRUE(dataset.representative);
  EXPECT_EQ(dataset.NameOf(0), "test_data_set_0");
  EXPECT_EQ(dataset.NameOf(2), "test_data_set_10");
  EXPECT_EQ(dataset.Read(1).inputs[0].values<float>()[0], 2.0F);
}

TEST_F(DatasetTest, SetsOfALargerBatchAreSplitAndSetsOfOtherShapesLeftOut) {
  Proto("test_data_set_0/input_0.pb", Floats({1, 2}, {1, 2}));
  Proto("test_data_set_1/input_0.pb", Floats({2, 2}, {3, 4, 5, 6}));
  Proto("test_data_set_2/input_0.pb", Floats({1, 3}, {7, 8, 9}));
  const Dataset dataset = LoadDataset(GraphOf({{"x", kImage}}), {.inputs = folder_.string()});
  ASSERT_EQ(dataset.size(), 3U);
  EXPECT_EQ(dataset.NameOf(2), "test_data_set_1[1]");
  EXPECT_EQ(dataset.Read(2).inputs[0].values<float>()[0], 5.0F);
  ASSERT_EQ(dataset.notes.size(), 1U);
  EXPECT_THAT(dataset.notes[0],
              ::testing::HasSubstr("1 of 3 test_data_set_N folders is left out, as it has other "
                                   "shapes than 'x:1,2': 1 has 'x:1,3' (test_data_set_2)"));
  EXPECT_THAT(
      MessageOf(GraphOf({{"x", {DType::kFloat32, {1, 7}}}}), {.inputs = folder_.string()}),
      ::testing::HasSubstr("holds no usable samples: 3 of 3 test_data_set_N folders are left "
                           "out, as they have other shapes than 'x:1,7': 1 has 'x:1,2' "
                           "(test_data_set_0); "));
}

TEST_F(DatasetTest, StackedFilesAreSplitAlongTheBatchAxis) {
  Proto("eval/input_0.pb", Floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  Proto("eval/input_1.pb", Longs({6}, {10, 11, 12, 13, 14, 15}));
  Proto("eval/input_2.pb", Longs({}, {16000}));
  const std::string labels = Proto("eval/labels.pb", Longs({3}, {7, 8, 9}));
  const Graph graph =
      GraphOf({{"x", kImage}, {"ids", {DType::kInt64, {2}}}, {"rate", {DType::kInt64, {}}}});
  const Dataset dataset = LoadDataset(
      graph, {.inputs = (folder_ / "eval").string(), .labels = labels, .max_samples = 2});
  ASSERT_EQ(dataset.size(), 2U);
  EXPECT_EQ(dataset.NameOf(1), "eval[1]");
  EXPECT_EQ(dataset.Read(1).inputs[0].type(), kImage);
  EXPECT_THAT(dataset.Read(1).inputs[0].values<float>(), ::testing::ElementsAre(3, 4));
  EXPECT_THAT(dataset.Read(1).inputs[1].values<std::int64_t>(), ::testing::ElementsAre(12, 13));
  EXPECT_THAT(dataset.Read(1).inputs[2].values<std::int64_t>(), ::testing::ElementsAre(16000));
  EXPECT_EQ(dataset.labels(), (Labels{{7}, {8}}));
}

TEST_F(DatasetTest, LabelsOfABatchStayWithTheirSample) {
  const Graph graph = GraphOf({{"x", {DType::kFloat32, {2, 2}}}});
  const std::string inputs = Npy("x.npy", Floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const std::string labels = Npy("y.npy", Longs({4}, {0, 1, 2, 3}));
  const Dataset dataset = LoadDataset(graph, {.inputs = inputs, .labels = labels});
  ASSERT_EQ(dataset.size(), 2U);
  EXPECT_EQ(dataset.NameOf(1), "x.npy[1]");
  EXPECT_THAT(dataset.labels()[1], ::testing::ElementsAre(2, 3));
}

TEST_F(DatasetTest, NamesMayContainColons) {
  const Graph graph = GraphOf({{"a", kImage}, {"a:0", kImage}});
  const std::string first = Npy("first.npy", Floats({1, 2}, {1, 2}));
  const std::string second = Npy("second.npy", Floats({1, 2}, {3, 4}));
  const Dataset dataset = LoadDataset(graph, {.inputs = "a:0:" + second + "; a:" + first});
  EXPECT_EQ(dataset.Read(0).inputs[0].values<float>()[0], 1.0F);
  EXPECT_EQ(dataset.Read(0).inputs[1].values<float>()[0], 3.0F);
}

TEST_F(DatasetTest, NumpyDefaultsAreConvertedWhenNothingIsLost) {
  const double doubles[] = {0.5, 0.25};
  const Graph floats = GraphOf({{"x", kImage}});
  const Dataset from_double =
      LoadDataset(floats, {.inputs = Npy("d.npy", Tensor::From<double>({1, 2}, doubles))});
  EXPECT_EQ(from_double.Read(0).inputs[0].values<float>()[1], 0.25F);
  ASSERT_EQ(from_double.notes.size(), 1U);
  EXPECT_THAT(from_double.notes[0],
              ::testing::HasSubstr("d.npy' holds double values: rounded to float32 for input '"));
  const Graph ids = GraphOf({{"ids", {DType::kInt32, {2}}}});
  const Dataset from_long = LoadDataset(ids, {.inputs = Npy("i.npy", Longs({2}, {-7, 70000}))});
  EXPECT_THAT(from_long.Read(0).inputs[0].values<std::int32_t>(),
              ::testing::ElementsAre(-7, 70000));
}

TEST_F(DatasetTest, GeneratedSamplesAreValidForEveryType) {
  const Graph graph = GraphOf({{"x", {DType::kFloat16, {50}}},
                               {"ids", {DType::kInt64, {50}}},
                               {"mask", {DType::kBool, {50}}}});
  const Dataset dataset = LoadDataset(graph, {.generated_samples = 3, .seed = 5});
  EXPECT_FALSE(dataset.representative);
  ASSERT_EQ(dataset.size(), 3U);
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const Sample sample = dataset.Read(i);
    for (const double value : DoublesOf(sample.inputs[0])) {
      EXPECT_LE(std::abs(value), 1);
    }
    EXPECT_THAT(DoublesOf(sample.inputs[1]), ::testing::Each(::testing::AnyOf(0, 1)));
    EXPECT_THAT(DoublesOf(sample.inputs[2]), ::testing::Each(::testing::AnyOf(0, 1)));
  }
  EXPECT_EQ(dataset.Hash(), LoadDataset(graph, {.generated_samples = 3, .seed = 5}).Hash());
  EXPECT_NE(dataset.Hash(), LoadDataset(graph, {.generated_samples = 3, .seed = 6}).Hash());
}

TEST_F(DatasetTest, TheHashSeesInputsLabelsAndOrder) {
  const Sample a{"a", {Floats({2}, {1, 2})}};
  const Sample b{"b", {Floats({2}, {3, 4})}};
  const Hash128 plain = Dataset({a, b}).Hash();
  EXPECT_EQ(Dataset({{"c", a.inputs}, b}).Hash(), plain);
  EXPECT_NE(Dataset({b, a}).Hash(), plain);
  EXPECT_NE(Dataset({{"a", {a.inputs[0].Reshaped({1, 2})}}, b}).Hash(), plain);
  EXPECT_NE(Dataset({a, b}, {{1}, {2}}).Hash(), plain);
}

// Knowledge bases know data by these hashes: what was stored for them must be found again. They are
// those of version 0.1.0.
TEST_F(DatasetTest, TheHashIsTheOneThatOldBanksKnowTheDataBy) {
  const Graph graph = GraphOf({{"x", {DType::kFloat32, {1, 2}}}, {"ids", {DType::kInt32, {1}}}});
  std::vector<double> doubles;
  for (int i = 0; i < 80; ++i) {
    doubles.push_back(static_cast<double>(i % 46) * 0.25 - 3);
  }
  const std::vector<float> values(doubles.begin(), doubles.end());
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 40; ++i) {
    ids.push_back(i % 7 - 1);
  }
  const std::string inputs = "x:" + Npy("x.npy", Tensor::From<double>({40, 2}, doubles)) +
                             ";ids:" + Npy("ids.npy", Longs({40}, ids));
  const std::string labels = Npy("labels.npy", Longs({40}, ids));
  for (const int set : {0, 3, 11}) {
    const std::int64_t samples = set == 3 ? 2 : 1;
    const std::string folder = "sets/test_data_set_" + std::to_string(set);
    Proto(folder + "/input_0.pb",
          Tensor::From<float>({samples, 2},
                              std::span(values).subspan(static_cast<std::size_t>(set))));
    Proto(folder + "/input_1.pb",
          Tensor::From<std::int64_t>({samples}, std::span<const std::int64_t>(ids).subspan(
                                                    static_cast<std::size_t>(set))));
  }
  Dataset all = LoadDataset(graph, {.inputs = inputs, .labels = labels});
  EXPECT_EQ(all.Hash().ToHex(), "f766763a94db9048f54c6a1c942a9bb7");
  EXPECT_EQ(LoadDataset(graph, {.inputs = inputs, .max_samples = 7}).Hash().ToHex(),
            "35d46cb156ff73e8f85e55ed9710cc36");
  EXPECT_EQ(LoadDataset(graph, {.inputs = (folder_ / "sets").string()}).Hash().ToHex(),
            "fd73f272a5b70a6ae75d854be298ed4a");
  EXPECT_EQ(LoadDataset(graph, {.seed = 3}).Hash().ToHex(), "d971beda53385772ed0c330e93fac96f");
  const DataSplit split = SplitDataset(std::move(all), 0.25, 5);
  EXPECT_EQ(split.search.Hash().ToHex(), "f54a7ba937075eff85e1c860c950c2d3");
  EXPECT_EQ(split.heldout.Hash().ToHex(), "a2460052aa96bacc0b9154be191ddd59");
}

TEST_F(DatasetTest, FilesThatDoNotFitAreNamed) {
  const Graph graph = GraphOf({{"x", kImage}});

  struct Case {
    const char* file;
    Tensor tensor;
    const char* message;
  };

  const Case cases[] = {
      {"rank.npy", Floats({2}, {1, 2}),
       "'rank.npy': input 'x' expects float32 1x2 or several of them stacked along axis 0, found "
       "float32 2: reshape it to 1x2"},
      {"extent.npy", Floats({1, 3}, {1, 2, 3}),
       "'extent.npy': input 'x' expects float32 1x2 or several of them stacked along axis 0, found "
       "float32 1x3: write it in that shape, or where the network leaves it open give "
       "--input_shape "
       "\"x:1,3\""},
      {"none.npy", Floats({0, 2}, {}),
       "'none.npy' holds no samples: expected at least one, add it or leave --inputs out for "
       "generated ones"},
      {"nan.npy", Floats({2, 2}, {1, 2, 3, std::numeric_limits<float>::quiet_NaN()}),
       "'nan.npy': input 'x': expected finite values, element 1 of sample 1 is nan: mend that "
       "sample or leave it out"},
      {"inf.npy", Floats({1, 2}, {-std::numeric_limits<float>::infinity(), 0}),
       "'inf.npy': input 'x': expected finite values, element 0 of sample 0 is -inf: mend that "
       "sample or leave it out"},
      {"long.npy", Longs({1, 2}, {1, 2}),
       "'long.npy': input 'x' expects float32, found int64: write the file as float32"},
      {"bf16.pb", Convert(Floats({1, 2}, {1, 2}), DType::kBFloat16),
       "'bf16.pb': input 'x' expects float32, found bfloat16: write the file as float32"},
  };
  for (const Case& test : cases) {
    const std::string file = std::string_view(test.file).ends_with(".pb")
                                 ? Proto(test.file, test.tensor)
                                 : Npy(test.file, test.tensor);
    EXPECT_EQ(MessageOf(graph, {.inputs = file}), test.message);
  }
}

TEST_F(DatasetTest, IntegersThatDoNotFitAreRefused) {
  const std::string file = Npy("x.npy", Longs({2}, {1, 300}));
  EXPECT_EQ(MessageOf(GraphOf({{"x", {DType::kUInt8, {2}}}}), {.inputs = file}),
            "'x.npy': input 'x' expects uint8, found int64 with values that do not fit: write the "
            "file as uint8");
  const std::string negative = Npy("n.npy", Longs({1}, {-1}));
  EXPECT_EQ(MessageOf(GraphOf({{"x", {DType::kUInt64, {1}}}}), {.inputs = negative}),
            "'n.npy': input 'x' expects uint64, found int64 with values that do not fit: write the "
            "file as uint64");
}

TEST_F(DatasetTest, SourcesThatAreNotThereAreNamed) {
  const Graph one = GraphOf({{"x", kImage}});
  const Graph two = GraphOf({{"x", kImage}, {"y", kImage}});
  const std::string file = Npy("x.npy", Floats({1, 2}, {1, 2}));
  const std::string text = (folder_ / "x.txt").string();
  WriteFileAtomically(text, "1 2");
  EXPECT_EQ(MessageOf(one, {.inputs = (folder_ / "no.npy").string()}),
            "'no.npy' does not exist: expected a folder, a .npy, .npz, .pb, .bin, .png or .jpg "
            "file, or '<input>:<file>;...' with 'x'");
  EXPECT_EQ(MessageOf(one, {.inputs = text}), "'x.txt': expected a .npy or .pb file");
  EXPECT_EQ(MessageOf(one, {.inputs = "z:" + file}),
            "'z:x.npy': expected <input>:<file>, the inputs of the network are 'x'");
  EXPECT_EQ(
      MessageOf(two, {.inputs = file}),
      "'x.npy' is one file, the network has 2 inputs: use '<input>:<file>;...' with 'x', 'y'");
  EXPECT_EQ(MessageOf(two, {.inputs = "x:" + file}),
            "no file is given for input 'y': the inputs of the network are 'x', 'y'");
  EXPECT_EQ(MessageOf(two, {.inputs = "x:" + file + ";x:" + file}),
            "input 'x' is given twice: leave one of the files out");
  EXPECT_EQ(MessageOf(one, {.max_samples = -1}), "the number of samples cannot be -1");
  EXPECT_EQ(MessageOf(one, {.generated_samples = 0}), "expected at least one generated sample");
  EXPECT_EQ(MessageOf(one, {.labels = file}),
            "labels need the inputs they belong to: generated inputs have none");
}

TEST_F(DatasetTest, FoldersThatDoNotFitAreNamed) {
  const Graph two = GraphOf({{"x", kImage}, {"y", kImage}});
  EXPECT_THAT(MessageOf(two, {.inputs = folder_.string()}),
              ::testing::HasSubstr(
                  "holds neither test_data_set_N folders nor input_0.pb nor PNG or JPEG images"));
  Proto("test_data_set_0/input_0.pb", Floats({1, 2}, {1, 2}));
  EXPECT_EQ(MessageOf(two, {.inputs = folder_.string()}),
            "'test_data_set_0/input_1.pb' is missing: expected a file for each input of the "
            "network, 1 is 'y': add it");
  Proto("test_data_set_0/input_1.pb", Floats({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(MessageOf(two, {.inputs = folder_.string()}),
            "expected as many samples for every input, 'test_data_set_0/input_0.pb' holds 1, "
            "'test_data_set_0/input_1.pb' holds 2: leave out what the others do not have");
  EXPECT_EQ(MessageOf(GraphOf({{"x", kImage}}), {.inputs = folder_.string()}),
            "'test_data_set_0/input_1.pb' is one file too many: the inputs of the network are 'x', "
            "remove it");
  Proto("eval/input_0.pb", Floats({2, 2}, {1, 2, 3, 4}));
  Proto("eval/input_1.pb", Floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(MessageOf(two, {.inputs = (folder_ / "eval").string()}),
            "expected as many samples for every input, 'eval/input_0.pb' holds 2, "
            "'eval/input_1.pb' holds 3: leave out what the others do not have");
}

TEST_F(DatasetTest, LabelsMustBeClassesOfAnOutput) {
  Graph graph = GraphOf({{"x", kImage}});
  graph.outputs.push_back(
      graph.AddValue({.name = "y", .type = {DType::kFloat32, {1, 10}}, .constant = {}}));
  const std::string inputs = Npy("x.npy", Floats({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(LoadDataset(graph, {.inputs = inputs, .labels = Npy("ok.npy", Longs({2}, {9, -1}))})
                .labels()
                .size(),
            2U);
  EXPECT_EQ(MessageOf(graph, {.inputs = inputs, .labels = Npy("big.npy", Longs({2}, {1, 10}))}),
            "'big.npy': sample 1 has the label 10, the network has 10 classes");
  EXPECT_THAT(
      MessageOf(graph, {.inputs = inputs, .labels = Npy("hot.npy", Longs({2, 2}, {1, 0, 0, 1}))}),
      ::testing::HasSubstr("'hot.npy' holds 2 labels a sample, but no output of the network"));
}

TEST_F(DatasetTest, LabelsNameTheirOutput) {
  Graph graph = GraphOf({{"x", kImage}});
  graph.outputs = {graph.AddValue({.name = "value", .type = {DType::kFloat32, {1, 3}}}),
                   graph.AddValue({.name = "p:0", .type = {DType::kFloat32, {1, 10}}}),
                   graph.AddValue({.name = "seg", .type = {DType::kFloat32, {1, 4, 5}}})};
  const std::string inputs = Npy("x.npy", Floats({2, 2}, {1, 2, 3, 4}));
  const std::string nine = Npy("y.npy", Longs({2}, {9, 1}));
  const auto load = [&](const std::string& file) {
    return LoadDataset(graph, {.inputs = inputs, .labels = file});
  };
  const Dataset named = load("p:0:" + nine);
  EXPECT_EQ(named.labels().output(), 1U);
  EXPECT_EQ(named.Part(std::vector<std::size_t>{1}).labels().output(), 1U);
  EXPECT_EQ(named.OutputsOf(0, {}, {}).class_output, 1U);
  EXPECT_EQ(MessageOf(graph, {.inputs = inputs, .labels = "value:" + nine}),
            "'y.npy': sample 0 has the label 9, the output has 3 classes");
  EXPECT_EQ(MessageOf(graph, {.inputs = inputs, .labels = "seg:" + nine}),
            "'y.npy' holds 1 label a sample, but the output 'seg' (float32 1x4x5) does not "
            "have that many rows of classes: expected class indices, not one-hot vectors");
  EXPECT_THAT(
      MessageOf(graph, {.inputs = inputs, .labels = "police:" + nine}),
      ::testing::HasSubstr("has no output 'police'; its outputs are 'value', 'p:0', 'seg'"));
  const std::string ones = Npy("z.npy", Longs({2}, {1, 1}));
  EXPECT_NE(load("p:0:" + ones).Hash(), load("value:" + ones).Hash());
  EXPECT_NE(load(ones).Hash(), load("value:" + ones).Hash());
}

TEST_F(DatasetTest, LabelsAsOneHotRowsAreToldHowToBecomeClasses) {
  const Graph graph = GraphOf({{"x", kImage}});
  const std::string inputs = Npy("x.npy", Floats({2, 2}, {1, 2, 3, 4}));
  const std::string rows = Npy("y.npy", Floats({2, 3}, {0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(MessageOf(graph, {.inputs = inputs, .labels = rows}),
            "'y.npy': expected labels of an integer type, the class index of each sample, found "
            "float32 2x3: of one-hot rows or scores, argmax(axis=-1) is it");
  // Numbers one by one are no rows.
  const std::string numbers = Npy("y.npy", Floats({2}, {0, 1}));
  EXPECT_THAT(MessageOf(graph, {.inputs = inputs, .labels = numbers}),
              ::testing::EndsWith("found float32 2"));
}

TEST_F(DatasetTest, LabelsMustCountTheSamples) {
  const Graph graph = GraphOf({{"x", kImage}});
  const std::string inputs = Npy("x.npy", Floats({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(MessageOf(graph, {.inputs = inputs, .labels = Npy("y.npy", Longs({3}, {1, 2, 3}))}),
            "'y.npy': expected labels for 2 samples along axis 0, found int64 3");
  EXPECT_EQ(MessageOf(graph, {.inputs = inputs, .labels = Npy("f.npy", Floats({2}, {1, 2}))}),
            "'f.npy': expected labels of an integer type, the class index of each sample, found "
            "float32 2");
}

TEST_F(DatasetTest, ReadsTheEvaluationSetOfARealNetwork) {
  const auto shared = testing::SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not here";
  }
  const fs::path eval = *shared / "models" / "mnist" / "eval";
  const Graph graph = GraphOf({{"Input3", {DType::kFloat32, {1, 1, 28, 28}}}});
  const Dataset dataset =
      LoadDataset(graph, {.inputs = eval.string(), .labels = (eval / "labels.pb").string()});
  EXPECT_GT(dataset.size(), 10U);
  EXPECT_EQ(dataset.labels().size(), dataset.size());
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    ASSERT_EQ(dataset.labels()[i].size(), 1U);
    EXPECT_TRUE(dataset.labels()[i][0] >= 0 && dataset.labels()[i][0] < 10);
  }
}

}  // namespace
}  // namespace halftone
