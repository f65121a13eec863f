// Samples from NumPy archives and from files without a header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/accuracy/dataset.h"
#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const TensorType kImage{DType::kFloat32, {1, 2}};

// A network of inputs only: a dataset knows nothing else of it.
Graph GraphOf(const std::vector<std::pair<std::string, TensorType>>& inputs) {
  Graph graph;
  for (const auto& [name, type] : inputs) {
    graph.inputs.push_back(graph.AddValue({.name = name, .type = type, .constant = {}}));
  }
  return graph;
}

class SampleFilesTest : public ::testing::Test {
 protected:
  SampleFilesTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  ~SampleFilesTest() override { fs::remove_all(folder_); }

  static std::string Archive(const std::string& name) {
    return (testing::SourceDir() / "tests/fuzz/corpus/npz" / name).string();
  }

  // The message without the folders.
  [[nodiscard]] std::string MessageOf(const Graph& graph, const std::string& inputs) const {
    try {
      LoadDataset(graph, {.inputs = inputs});
    } catch (const Error& error) {
      std::string message = error.what();
      for (const std::string& prefix : {folder_.string() + "/", Archive("")}) {
        for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
          message.erase(at, prefix.size());
        }
      }
      return message;
    }
    return "no error";
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / "halftone_sample_files_test";
};

TEST_F(SampleFilesTest, ArchivesHoldAnArrayForEachInput) {
  const Graph graph = GraphOf({{"ids", {DType::kInt64, {1}}}, {"x", kImage}});
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const Dataset dataset = LoadDataset(graph, {.inputs = Archive(name)});
    ASSERT_EQ(dataset.size(), 2U) << name;
    EXPECT_EQ(dataset.NameOf(1), std::string(name) + "[1]");
    const Sample second = dataset.Read(1);
    EXPECT_EQ(second.inputs[0].values<std::int64_t>()[0], 8);
    EXPECT_EQ(second.inputs[1].values<float>()[0], 3);
    EXPECT_EQ(second.inputs[1].values<float>()[1], 4);
  }
}

TEST_F(SampleFilesTest, OneArrayIsThatOfTheOnlyInput) {
  EXPECT_EQ(LoadDataset(GraphOf({{"x", kImage}}), {.inputs = Archive("one.npz")}).size(), 2U);
  const std::int64_t values[] = {7, 8};
  WriteFileAtomically(folder_ / "ids.npy", FormatNpy(Tensor::From<std::int64_t>({2}, values)));
  EXPECT_EQ(
      LoadDataset(GraphOf({{"x", kImage}, {"ids", {DType::kInt64, {1}}}}),
                  {.inputs = "x:" + Archive("one.npz") + ";ids:" + (folder_ / "ids.npy").string()})
          .size(),
      2U);
}

TEST_F(SampleFilesTest, ArchivesThatDoNotFitAreNamed) {
  const Graph other = GraphOf({{"y", kImage}, {"ids", {DType::kInt64, {1}}}});
  EXPECT_EQ(MessageOf(other, Archive("stored.npz")),
            "'stored.npz' has no array 'y': expected one for each input of the network, 'y', "
            "'ids'; found 'x', 'ids'");
  EXPECT_EQ(MessageOf(other, "y:" + Archive("stored.npz") + ";ids:" + Archive("one.npz")),
            "'stored.npz' holds 2 arrays, for the input 'y' alone: expected one; give an archive "
            "with the arrays of all inputs without a name");
  const Graph one = GraphOf({{"x", kImage}});
  for (const auto& [name, what] :
       {std::pair("no_array.npz", "has the member 'x.txt', which is no .npy file"),
        std::pair("empty.npz", "holds no array"),
        std::pair("claims_2_gb.npz", "has the member 'x.npy' of 2147483647 bytes in "),
        std::pair("wrong_checksum.npz", "has the damaged member 'x.npy'"),
        std::pair("bad_array.npz", "bad_array.npz:x.npy' has 13 bytes of data")}) {
    EXPECT_THAT(MessageOf(one, Archive(name)), HasSubstr(what));
  }
  WriteFileAtomically(folder_ / "x.npz", "no archive");
  EXPECT_THAT(MessageOf(one, (folder_ / "x.npz").string()),
              HasSubstr("'x.npz' cannot be read as a zip archive (Not a zip archive)"));
}

TEST_F(SampleFilesTest, RawFilesHaveTheBytesOfWholeSamples) {
  const float values[] = {1, 2, 3, 4};
  const std::string file = (folder_ / "x.bin").string();
  WriteFileAtomically(file, std::string(reinterpret_cast<const char*>(values), sizeof(values)));
  const Dataset dataset = LoadDataset(GraphOf({{"x", kImage}}), {.inputs = file});
  ASSERT_EQ(dataset.size(), 2U);
  EXPECT_EQ(dataset.Read(1).inputs[0].values<float>()[1], 4);
  const Graph pairs = GraphOf({{"x", {DType::kFloat32, {2, 2}}}});
  EXPECT_EQ(LoadDataset(pairs, {.inputs = "x:" + file}).size(), 1U);
  EXPECT_EQ(MessageOf(GraphOf({{"x", {DType::kFloat32, {1, 3}}}}), file),
            "'x.bin' has 16 bytes: expected a multiple of 12 bytes, those of float32 1x3");
  EXPECT_THAT(MessageOf(GraphOf({{"x", {DType::kFloat32, {}}}}), file),
              HasSubstr("'x.bin' has 16 bytes: expected 4 bytes, those of float32"));
}

}  // namespace
}  // namespace halftone
