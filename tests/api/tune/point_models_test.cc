// ONNX files in the folders of points.
#include "src/api/point_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/api/halftone.h"
#include "src/api/options/option_folder.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/files/write_files.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class PointModelsTest : public ::testing::Test {
 protected:
  PointModelsTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  [[nodiscard]] WrittenModels Write(const std::string& mode, const PointModels& wanted = {}) const {
    return WritePointModels(folder_, model_, LoadTarget("host"), {.precision_mode = mode}, wanted);
  }

  [[nodiscard]] std::set<std::string> Files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / "halftone_point_models_test";
  Model model_ = LoadModel({.path = testing::SourceDir() / "examples/digits/model.onnx"});
};

TEST_F(PointModelsTest, APointIn16BitsHasATypedAndARoundedModel) {
  const WrittenModels written = Write("allow_mix_precision_fp16");
  EXPECT_EQ(written.files, Files());
  EXPECT_THAT(Files(),
              UnorderedElementsAre("model_mixed.onnx", "model_mixed.onnx.export.json",
                                   "model_rounded.onnx", "model_rounded.onnx.export.json"));
  EXPECT_THAT(written.missing, IsEmpty());
  EXPECT_EQ(written.failure, "");
  const auto record = nlohmann::json::parse(ReadFile(folder_ / "model_mixed.onnx.export.json"));
  EXPECT_EQ(record.at("file"), "model_mixed.onnx");
  EXPECT_EQ(record.at("format"), "onnx-mixed");
  const PrecisionPlan plan = ResolvePrecision(
      model_.graph, {.precision_mode = "allow_mix_precision_fp16"}, LoadTarget("host"));
  EXPECT_EQ(record.at("plan"), plan.Digest().ToHex());
}

TEST_F(PointModelsTest, APlanInFloat32HasNone) {
  const WrittenModels written = Write("must_keep_origin_dtype");
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(written.missing, IsEmpty());
}

TEST_F(PointModelsTest, OnlyTheFormatsThatAreWanted) {
  static_cast<void>(Write("force_fp16", {.formats = ParsePointModels("onnx-rounded, onnx-qdq")}));
  EXPECT_THAT(Files(),
              UnorderedElementsAre("model_rounded.onnx", "model_rounded.onnx.export.json"));
}

TEST_F(PointModelsTest, SeveralShapesAreOneSentence) {
  const WrittenModels written = Write("force_fp16", {.several_shapes = true});
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(written.missing,
              ElementsAre(Pair("model_mixed.onnx", HasSubstr("several input shapes")),
                          Pair("model_rounded.onnx", HasSubstr("--input_shape"))));
  EXPECT_EQ(written.failure, "");
}

TEST_F(PointModelsTest, AStopLeavesNothingBehind) {
  const WrittenModels written = Write("force_fp16", {.stop_requested = [] { return true; }});
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(written.missing, ElementsAre(Pair("model_mixed.onnx", StartsWith("the run was")),
                                           Pair("model_rounded.onnx", StartsWith("the run was"))));
  EXPECT_THAT(written.failure, HasSubstr("model_mixed.onnx: the run was stopped"));
}

// Files up to 1000 bytes, as on a full disk.
TEST_F(PointModelsTest, AFullDiskLeavesNothingBehind) {
  rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const WrittenModels written = Write("force_fp16");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_EQ(written.missing.size(), 2U);
  EXPECT_THAT(written.failure, HasSubstr("cannot write"));
}

TEST_F(PointModelsTest, AModelThatIsGoneIsOneSentence) {
  model_.path = folder_ / "gone.onnx";
  const WrittenModels written = Write("force_fp16");
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(written.failure, HasSubstr("does not exist"));
}

TEST_F(PointModelsTest, TheFolderIsEmptiedOfThem) {
  for (const std::string& name : PointModelNames()) {
    WriteFileAtomically(folder_ / name, "old");
  }
  WriteFileAtomically(folder_ / "arguments.txt", "");  // by which the folder is one of ours
  PointRecord record = RecordOf(model_, "host", {});
  record.files = {"model_mixed.onnx"};
  WriteOptionFolder(folder_, WriteOptionFiles({.precision_mode = "force_fp16"}), record);
  EXPECT_THAT(Files(), UnorderedElementsAre("arguments.txt", "model_mixed.onnx", "point.json"));
  RemoveOptionFolder(folder_);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST(ParsePointModelsTest, AllNoneOrAList) {
  EXPECT_EQ(ParsePointModels("all"), PointModelFormats());
  EXPECT_THAT(ParsePointModels("none"), IsEmpty());
  EXPECT_THAT(ParsePointModels("onnx-qdq"), ElementsAre("onnx-qdq"));
  for (const char* text : {"", "onnx", "onnx-mixed,", "none,onnx-mixed", "trtexec"}) {
    try {
      ParsePointModels(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("expected all, none, or some of onnx-mixed, "
                                          "onnx-rounded, onnx-qdq, comma-separated"));
    }
  }
}

}  // namespace
}  // namespace halftone
