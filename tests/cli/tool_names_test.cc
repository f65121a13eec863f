// Links to the program under the names of other tools: each is the command of its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::Digits;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::RunProcess;

class ToolNamesTest : public ::testing::Test {
 protected:
  ToolNamesTest() : folder_("links") {}

  // Runs a link of this name.
  ProcessResult Run(const std::string& name, std::vector<std::string> words) const {
    const fs::path link = folder_.path() / name;
    if (!fs::is_symlink(link)) {
      fs::create_symlink(HALFTONE_BINARY, link);
    }
    words.insert(words.begin(), link.string());
    return RunProcess(words, {{"TUNE_BANK_PATH", ""},
                              {"ASCEND_CACHE_PATH", (folder_.path() / "cache").string()},
                              {"ASCEND_WORK_PATH", (folder_.path() / "work").string()},
                              {"HOME", "/dev/null/home"}});
  }

  TemporaryFolder folder_;
};

TEST_F(ToolNamesTest, ALinkIsTheCommandOfItsName) {
  const std::string names[] = {"aoe", "atc", "qaic-compile", "qaic-exec"};
  for (const std::string& name : names) {
    const ProcessResult link = Run(name, {"--help"});
    EXPECT_EQ(link.exit_code, 0) << name;
    EXPECT_EQ(link.out, testing::Halftone({name, "--help"}).out) << name;
  }
  EXPECT_EQ(Run("halftone-0.1", {"--version"}).out, testing::Halftone({"--version"}).out)
      << "any other name is the program itself";
  EXPECT_EQ(Run("tune", {"--version"}).out, testing::Halftone({"--version"}).out)
      << "commands of halftone alone have no links";
}

TEST_F(ToolNamesTest, QaicNamesAreTwoDialects) {
  folder_.Write("np.yaml", "FP32NodeInstanceNames: [probabilities]\n");
  const std::vector<std::string> words = {
      "-m=" + Digits("model.onnx"), "-batchsize=1", "-convert-to-fp16",
      "-node-precision-info=" + (folder_.path() / "np.yaml").string()};
  const ProcessResult newer = Run("qaic-compile", words);
  const ProcessResult older = Run("qaic-exec", words);
  EXPECT_THAT(newer.err, Not(HasSubstr("setting node instances to FP32 is not supported")));
  EXPECT_EQ(older.exit_code, 2);
  EXPECT_THAT(older.err, HasSubstr("setting node instances to FP32 is not supported"));
}

TEST_F(ToolNamesTest, AtcResolvesAndWrites) {
  const std::string output = (folder_.path() / "out").string();
  const std::string keep = (folder_.path() / "keep.cfg").string();
  folder_.Write("keep.cfg", "OpType::Softmax\n");
  const ProcessResult result =
      Run("atc", {"--model=" + Digits("model.onnx"), "--framework=5", "--soc_version=Ascend910B1",
                  "--precision_mode_v2=fp16", "--keep_dtype=" + keep, "--output=" + output,
                  "--log=error", "--input_shape="});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("--log has no effect here"));
  EXPECT_THAT(result.err, HasSubstr("no model for a device is made"));
  EXPECT_THAT(ReadFile(output + "/arguments.txt"), HasSubstr("--precision_mode"));
  EXPECT_FALSE(fs::exists(output + ".om"));
  const ProcessResult explained =
      testing::Halftone({"explain", "--model=" + Digits("model.onnx"), "--soc_version=Ascend910B1",
                         "--precision_mode_v2=fp16", "--keep_dtype=" + keep});
  EXPECT_EQ(result.out, explained.out) << "the plan is that of explain";
}

struct AtcRow {
  const char* name;
  std::vector<std::string> words;
  const char* message;
};

TEST_F(ToolNamesTest, AtcRefusesWhatItCannotDo) {
  const std::string model = "--model=" + Digits("model.onnx");
  const std::string soc = "--soc_version=Ascend910B1";
  const AtcRow rows[] = {
      {"no model", {"--framework=5", soc, "--output=o"}, "E10054: --model is missing"},
      {"no framework", {model, soc, "--output=o"}, "E10054: --framework is missing"},
      {"no output", {model, soc, "--framework=5"}, "E10054: --output is missing"},
      {"no device", {model, "--framework=5", "--output=o"}, "E10054: --soc_version is missing"},
      {"Caffe", {model, soc, "--framework=0", "--output=o"}, "E10001: --framework=0"},
      {"a weight file", {model, "--weight=w"}, "--weight"},
      {"another mode", {model, "--mode=1"}, "E10001: --mode=1: expected one of 0"},
      {"an unknown option", {model, "--precison_mode=fp16"}, "did you mean --precision_mode"},
      {"an option of AOE alone", {model, "--job_type=1"}, "unknown option --job_type"},
      {"a mode that the device lacks",
       {model, soc, "--framework=5", "--output=" + (folder_.path() / "o").string(),
        "--precision_mode=nope"},
       "nope"},
  };
  for (const AtcRow& row : rows) {
    const ProcessResult result = Run("atc", row.words);
    EXPECT_EQ(result.exit_code, 2) << row.name << result.err;
    EXPECT_THAT(result.err, HasSubstr(row.message)) << row.name;
  }
}

}  // namespace
}  // namespace halftone
