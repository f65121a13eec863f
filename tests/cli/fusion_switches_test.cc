// --fusion_switch_file as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;

std::string Digits() {
  return (testing::SourceDir() / "examples/digits/model.onnx").string();
}

ProcessResult Halftone(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HALFTONE_BINARY);
  return RunProcess(arguments, {{"TUNE_BANK_PATH", ""}, {"HOME", "/nonexistent"}});
}

TEST(FusionSwitchFileTest, IsWrittenAndComparedSetsShareIt) {
  const std::string switches = ::testing::TempDir() + "halftone_cli_test_switches.json";
  const std::string folder = ::testing::TempDir() + "halftone_cli_test_written";
  WriteFileAtomically(switches, R"({"Switch": {"UBFusion": {"ALL": "off"}}})");
  const std::string model = "--model=" + Digits();
  const std::string shape = "--input_shape=pixels:1,1,8,8";
  const ProcessResult written =
      Halftone({"explain", model, shape, "--precision_mode=force_fp16",
                "--fusion_switch_file=" + switches, "--output=" + folder});
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.err, "note: " + folder +
                             "/arguments.txt has the smallest option set of this plan, in place of "
                             "the one typed: --precision_mode=force_fp16 "
                             "--fusion_switch_file=fusion_switch.json\n");
  const ProcessResult same =
      Halftone({"explain", model, shape, "--fusion_switch_file=" + switches, "--diff", folder,
                "--precision_mode=must_keep_origin_dtype"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  const ProcessResult other = Halftone(
      {"explain", model, shape, "--diff", folder, "--precision_mode=must_keep_origin_dtype"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.err,
            "error: --diff: A switches off the fusions [fuse_activation], B []; expected the same, "
            "so that both are of one graph\n");
}

}  // namespace
}  // namespace halftone
