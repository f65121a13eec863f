// Gates for CI as a user meets them: --fail_if, --junit, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;

ProcessResult Halftone(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HALFTONE_BINARY);
  return RunProcess(arguments);
}

// A gate is read before the model: a typo costs no search.
TEST(TuneCommandTest, GatesAreReadFirst) {
  const auto error_of = [](const std::string& argument) {
    const ProcessResult result = Halftone({"tune", "--model=no_such_file.onnx", argument});
    EXPECT_EQ(result.exit_code, 2) << argument;
    return result.err;
  };
  EXPECT_THAT(
      error_of("--fail_if=snr_db<40"),
      HasSubstr("error: --fail_if=snr_db<40: 'snr_db' is no quantity; did you mean 'sqnr_db'?"));
  EXPECT_THAT(error_of("--fail_if=sqnr_db<40,speed_up"),
              HasSubstr("error: --fail_if=speed_up: expected NAME<NUMBER"));
  EXPECT_THAT(error_of("--fail_if=top1<0.9"),
              HasSubstr("error: --fail_if=top1<0.9: top1 needs labels, and none are given"));
  EXPECT_THAT(error_of("--color=blue"), HasSubstr("--color"));
}

// The gate fails, the front is all right: that is what the code says.
TEST(TuneCommandTest, AFailedGateHasAnExitCodeOfItsOwn) {
  const std::string junit = ::testing::TempDir() + "halftone_cli_test_gates.xml";
  const auto tune = [&](const std::string& gate) {
    return Halftone({"tune", "--model=" + (SourceDir() / "examples/digits/model.onnx").string(),
                     "--strategy=random", "--max_trials=1", "--precision_mode=force_fp16",
                     "--no_bank", "--threads=1", "--junit=" + junit, "--fail_if=" + gate});
  };
  const ProcessResult failed = tune("sqnr_db<1000");
  EXPECT_EQ(failed.exit_code, 4) << failed.err;
  EXPECT_THAT(failed.out,
              HasSubstr("gate sqnr_db<1000: failed; expected sqnr_db of at least 1000, "));
  EXPECT_THAT(failed.out, ::testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(ReadFile(junit),
              HasSubstr("<failure type=\"gate\" message=\"expected sqnr_db of at "));
  const ProcessResult passed = tune("sqnr_db<1");
  EXPECT_EQ(passed.exit_code, 0) << passed.err;
  EXPECT_THAT(ReadFile(junit), ::testing::Not(HasSubstr("<failure")));
}

}  // namespace
}  // namespace halftone
