// --fusion_switch_file as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::testing::HasSubstr;

TEST(FusionSwitchFileTest, IsWrittenAndComparedSetsShareIt) {
  const std::string switches = ::testing::TempDir() + "halftone_cli_test_switches.json";
  const std::string folder = ::testing::TempDir() + "halftone_cli_test_written";
  WriteFileAtomically(switches, R"({"Switch": {"UBFusion": {"ALL": "off"}}})");
  const std::string model = "--model=" + Digits("model.onnx");
  const std::string shape = "--input_shape=pixels:1,1,8,8";
  const ProcessResult written =
      Halftone({"explain", model, shape, "--precision_mode_v2=fp16",
                "--fusion_switch_file=" + switches, "--output=" + folder});
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.err, "note: " + folder +
                             "/arguments.txt has the smallest option set of this plan, in place of "
                             "the one typed: --soc_version=host "
                             "--input_shape=pixels:1,1,8,8 --precision_mode=force_fp16 "
                             "--fusion_switch_file=fusion_switch.json\n");
  const ProcessResult same =
      Halftone({"explain", model, shape, "--fusion_switch_file=" + switches, "--diff", folder,
                "--precision_mode=must_keep_origin_dtype"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  const ProcessResult other = Halftone(
      {"explain", model, shape, "--diff", folder, "--precision_mode=must_keep_origin_dtype"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(
      other.err,
      "error: --diff: A switches off the fusions [chain_elementwise, fuse_activation, "
      "fuse_activation_function, fuse_residual, fuse_residual_after_activation], B []; expected "
      "the same, "
      "so that both are of one graph\n");
}

TEST(FusionSwitchFileTest, NamesOfNoFusionAreAWarning) {
  const std::string switches = ::testing::TempDir() + "halftone_cli_test_unknown.json";
  WriteFileAtomically(switches,
                      R"({"Switch": {"GraphFusion": {"ConvToFullyConnectionFusionPass": "off"}}})");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"explain", "--model=" + Digits("model.onnx")}, {"run", "--check", "nowhere"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--fusion_switch_file=" + switches);
    const ProcessResult result = Halftone(arguments);
    EXPECT_THAT(result.err,
                HasSubstr("warning: --fusion_switch_file=" + switches +
                          ": 1 name is of no fusion here and changes nothing: "
                          "'ConvToFullyConnectionFusionPass'; docs/internals/passes.md lists "
                          "those there are\n"));
  }
}

}  // namespace
}  // namespace halftone
