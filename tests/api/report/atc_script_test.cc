#include "src/api/report/atc_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/halftone.h"
#include "src/base/file.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::WriteScript;
using ::testing::HasSubstr;

class AtcScriptTest : public ::testing::Test {
 protected:
  AtcScriptTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "a point");
    fs::create_directories(folder_ / "bin");
    WriteScript(folder_ / "bin/atc", "printf '%s\\n' \"$@\"");
    files_.arguments = {"--soc_version=Ascend310P3", "--input_shape=x:1,3;y:1,1",
                        "--ops_info=ops_info", "--precision_mode=force_fp16",
                        "--keep_dtype=keep_dtype.cfg"};
    files_.files = {{"keep_dtype.cfg", "a\n"}};
  }

  ~AtcScriptTest() override { fs::remove_all(folder_); }

  // The arguments that ATC gets, a line each.
  ProcessResult Run(const std::vector<std::string>& more,
                    std::vector<std::pair<std::string, std::string>> environment = {}) {
    const fs::path script = folder_ / "a point/atc.sh";
    WriteFileAtomically(script, AtcScript(files_, LoadTarget({.soc_version = "Ascend310P3"}),
                                          folder_ / "it's.onnx"));
    std::vector<std::string> words = {"/usr/bin/env", "-C", "/", "sh", script.string()};
    words.insert(words.end(), more.begin(), more.end());
    environment.emplace_back("PATH", (folder_ / "bin").string() + ":/usr/bin:/bin");
    return RunProcess(words, environment);
  }

  fs::path folder_ = fs::absolute(::testing::TempDir() + "halftone_atc_script");
  OptionFiles files_;
};

TEST_F(AtcScriptTest, RunsAtcWithTheOptionsOfThePointFromAnyFolder) {
  const ProcessResult result = Run({"--log=info"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "--framework=5\n--model=" + (folder_ / "it's.onnx").string() +
                            "\n--output=" + (folder_ / "a point/model").string() +
                            "\n--soc_version=Ascend310P3\n--input_shape=x:1,3;y:1,1\n"
                            "--precision_mode=force_fp16\n--keep_dtype=" +
                            (folder_ / "a point/keep_dtype.cfg").string() + "\n--log=info\n");
}

TEST_F(AtcScriptTest, TheEnvironmentReplacesThePaths) {
  const ProcessResult result = Run({}, {{"MODEL", "other model.onnx"}, {"OUTPUT", "out"}});
  EXPECT_THAT(result.out, HasSubstr("\n--model=other model.onnx\n--output=out\n"));
}

TEST_F(AtcScriptTest, TargetsThatAtcDoesNotKnowHaveNone) {
  EXPECT_EQ(AtcScript(files_, LoadTarget(TargetOptions()), "m.onnx"), "");
  files_.arguments.front() = "--soc_version=target.ini";
  files_.files["target.ini"] = "";
  EXPECT_EQ(AtcScript(files_, LoadTarget({.soc_version = "Ascend310P3"}), "m.onnx"), "");
}

}  // namespace
}  // namespace halftone
