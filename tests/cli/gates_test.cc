// Gates for CI as a user meets them: --fail_if, --junit, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "tests/support/paths.h"
#include "tests/support/planted_runtime.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::PlantedRuntime;
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
  EXPECT_THAT(error_of("--annotations=jenkins"),
              HasSubstr("error: --annotations=jenkins: expected one of github, gitlab"));
  EXPECT_THAT(error_of("--fail_if=promised_sqnr_db<40"),
              HasSubstr("limits are promised of bounds; add --min_sqnr_db"));
}

// A program that gives a number for each sample: bounded, promised on held-out samples, gated. All
// plans are equal by it, so that the front is of the error.
TEST(TuneCommandTest, AnOwnMetricIsBoundedAndPromised) {
  const std::filesystem::path folder = ::testing::TempDir() + "halftone_cli_test_own_metric";
  const std::filesystem::path program = folder / "score.sh";
  WriteFileAtomically(program, "#!/bin/sh\nwhile read -r s; do echo 0.75; done <$1/samples.txt\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::filesystem::path digits = SourceDir() / "examples/digits";
  const auto tune = [&](const std::string& goal) {
    return Halftone({"tune", "--model=" + (digits / "model.onnx").string(),
                     "--inputs=" + (digits / "search_inputs.npy").string(),
                     "--heldout_inputs=" + (digits / "heldout_inputs.npy").string(),
                     "--metric=command:" + program.string(), "--metric_better=higher",
                     "--goal=" + goal, "--measure=" + PlantedRuntime(folder),
                     "--precision_mode=force_fp16,force_fp32", "--strategy=exhaustive",
                     "--max_trials=4", "--operator_tuning=off", "--no_bank", "--threads=1",
                     "--output=" + (folder / "out").string(), "--fail_if=promised_metric<0.7"});
  };
  const ProcessResult met = tune("min_metric=0.7");
  EXPECT_EQ(met.exit_code, 0) << met.err;
  EXPECT_THAT(met.out, HasSubstr("Promised: the metric on new samples is at least 0.75, by "
                                 "bootstrap, with 95 % confidence (360 held-out samples)."));
  const auto front = nlohmann::json::parse(ReadFile(folder / "out/front.json"));
  EXPECT_EQ(front.at("constraints").at("min_metric"), 0.7);
  EXPECT_GT(front.at("front").size(), 1U);
  const ProcessResult missed = tune("min_metric=0.8");
  EXPECT_EQ(missed.exit_code, 3) << missed.err;
  EXPECT_THAT(missed.out, HasSubstr("the metric is 0.75, at least 0.8 is asked for"));
  std::filesystem::remove_all(folder);
}

// The gate fails, the front is all right: that is what the code says.
TEST(TuneCommandTest, AFailedGateHasAnExitCodeOfItsOwn) {
  const std::string junit = ::testing::TempDir() + "halftone_cli_test_gates.xml";
  const auto tune = [&](const std::string& gate) {
    return Halftone({"tune", "--model=" + (SourceDir() / "examples/digits/model.onnx").string(),
                     "--strategy=random", "--max_trials=1", "--precision_mode=force_fp16",
                     "--operator_tuning=off", "--no_bank", "--threads=1", "--junit=" + junit,
                     "--annotations=github", "--fail_if=" + gate});
  };
  const ProcessResult failed = tune("sqnr_db<1000");
  EXPECT_EQ(failed.exit_code, 4) << failed.err;
  EXPECT_THAT(failed.out,
              HasSubstr("gate sqnr_db<1000: failed; expected sqnr_db of at least 1000, "));
  EXPECT_THAT(failed.out, ::testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(failed.out, HasSubstr("\n::error title=halftone tune%3A gate sqnr_db<1000::expected "
                                    "sqnr_db of at least 1000, found "));
  EXPECT_THAT(ReadFile(junit),
              HasSubstr("<failure type=\"gate\" message=\"expected sqnr_db of at "));
  const ProcessResult passed = tune("sqnr_db<1");
  EXPECT_EQ(passed.exit_code, 0) << passed.err;
  EXPECT_THAT(ReadFile(junit), ::testing::Not(HasSubstr("<failure")));
}

// The same command again was answered from the knowledge base without its gates: exit code 0 and a
// JUnit file in which nothing failed.
TEST(TuneCommandTest, AFailedGateFailsOnEveryPath) {
  const std::filesystem::path folder = ::testing::TempDir() + "halftone_cli_test_gate_paths";
  std::filesystem::remove_all(folder);
  const std::string junit = folder / "gates.xml";
  const auto tune = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "tune",
        "--model=" + (SourceDir() / "examples/digits/model.onnx").string(),
        "--strategy=random",
        "--max_trials=2",
        "--precision_mode=force_fp16",
        "--operator_tuning=off",
        "--op_bank_path=" + (folder / "bank").string(),
        "--output=" + (folder / "out").string(),
        "--threads=1",
        "--junit=" + junit,
        "--fail_if=sqnr_db<1000"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Halftone(arguments);
  };
  std::filesystem::create_directories(folder);
  const std::vector<std::string> paths[] = {{}, {}, {"--verify"}, {"--search_again"}};
  for (std::size_t i = 0; i < std::size(paths); ++i) {
    const ProcessResult result = tune(paths[i]);
    EXPECT_EQ(result.exit_code, 4) << i << result.out << result.err;
    EXPECT_EQ(result.out.find("answered from") != std::string::npos, i == 1 || i == 2)
        << result.out;
    EXPECT_THAT(result.out, HasSubstr("gate sqnr_db<1000: failed; expected "));
    for (const std::filesystem::path& file :
         {std::filesystem::path(junit), folder / "out/junit.xml"}) {
      EXPECT_THAT(ReadFile(file), HasSubstr("<failure type=\"gate\" message=\"expected sqnr_db "));
    }
    EXPECT_THAT(ReadFile(folder / "out/report.md"),
                HasSubstr("| sqnr_db&lt;1000 | sqnr_db of at least 1000 | "));
    EXPECT_THAT(ReadFile(folder / "out/report.html"), HasSubstr("&#10007; failed"));
    const auto front = nlohmann::json::parse(ReadFile(folder / "out/front.json"));
    EXPECT_EQ(front.at("outcome").at("end"), "gate_failed");
    EXPECT_EQ(front.at("gates").at(0).at("passed"), false);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace halftone
