// The program as a user meets it: help, errors, exit codes. Golden texts: tests/golden/cli/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::MatchesGolden;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Digits(const std::string& file) {
  return (SourceDir() / "examples/digits" / file).string();
}

ProcessResult Halftone(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HALFTONE_BINARY);
  return RunProcess(arguments, {{"TUNE_BANK_PATH", ""}, {"HOME", "/nonexistent"}});
}

struct HelpCase {
  const char* name;
  std::vector<std::string> arguments;
};

class HelpTest : public ::testing::TestWithParam<HelpCase> {};

TEST_P(HelpTest, GoldenText) {
  const ProcessResult result = Halftone(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(MatchesGolden(result.out, std::string("cli/") + GetParam().name + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(Commands, HelpTest,
                         ::testing::Values(HelpCase{"help", {"--help"}},
                                           HelpCase{"help_tune", {"tune", "--help"}},
                                           HelpCase{"help_run", {"run", "--help"}},
                                           HelpCase{"help_explain", {"explain", "--help"}},
                                           HelpCase{"help_bank", {"bank", "--help"}},
                                           HelpCase{"help_bank_prune", {"bank", "prune", "--help"}},
                                           HelpCase{"help_retune", {"retune", "--help"}},
                                           HelpCase{"version", {"--version"}}),
                         [](const auto& row) { return row.param.name; });

TEST(CliTest, UnknownInstructionSetIsAnErrorOfUse) {
  const ProcessResult result =
      RunProcess({HALFTONE_BINARY, "run", "--model=" + Digits("model.onnx"), "--explain"},
                 {{"HALFTONE_MAX_ISA", "sse9"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("environment variable HALFTONE_MAX_ISA: expected one of baseline, avx2, "
                        "avx512, avx512_vnni, avx512_bf16, got 'sse9'"));
}

// In bfloat16, because what float16 offers depends on the CPU (a fast twin with AVX512-BF16 only).
TEST(ExplainTest, GoldenPlanOfTheExample) {
  const ProcessResult result = Halftone(
      {"explain", "--model=" + Digits("model.onnx"), "--precision_mode=allow_mix_precision_bf16"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(MatchesGolden(result.out, "cli/explain_digits.txt"));
}

// The script's options reach the resolver, a typed one wins, and both are said.
TEST(ExplainTest, SettingsOfATrainingScript) {
  const std::string script = ::testing::TempDir() + "halftone_cli_test_npu_config.yaml";
  WriteFileAtomically(
      script,
      "NPURunConfig: {precision_mode: allow_mix_precision_bf16, jit_compile: auto}\n"
      "loss_scale_manager: {type: Fixed, loss_scale: 8}\n");
  const std::vector<std::string> arguments = {"explain", "--model=" + Digits("model.onnx"),
                                              "--npu_config=" + script};
  const ProcessResult result = Halftone(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("allow_mix_precision_bf16"));
  EXPECT_THAT(result.err, HasSubstr("note: " + script + ":1: jit_compile decides nothing"));
  EXPECT_THAT(result.err, HasSubstr("warning: allow_mix_precision_bf16 with a loss_scale_manager"));

  std::vector<std::string> typed = arguments;
  typed.emplace_back("--precision_mode=must_keep_origin_dtype");
  const ProcessResult kept = Halftone(typed);
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(kept.err,
              HasSubstr("warning: --precision_mode=must_keep_origin_dtype wins over "
                        "precision_mode=allow_mix_precision_bf16 of the training script"));
}

// With and without dashes, and each with a target of its own.
TEST(ExplainTest, OptionSetsAreTakenAsTheyAreTyped) {
  const ProcessResult result = Halftone({"explain", "--model=" + Digits("model.onnx"), "--diff",
                                         "--precision_mode=force_fp16 --soc_version=Ascend310P3",
                                         "--precision_mode=force_fp16 --soc_version=Ascend910B1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("A: force_fp16 on Ascend310P3"));
  EXPECT_THAT(result.out, HasSubstr("B: force_fp16 on Ascend910B1"));
}

TEST(BankTest, SaysWhereItIsWhenHomeIsNotSet) {
  const ProcessResult result =
      RunProcess({HALFTONE_BINARY, "bank", "list"}, {{"TUNE_BANK_PATH", ""}, {"HOME", ""}});
  EXPECT_THAT(result.err,
              HasSubstr("warning: HOME is not set, so the knowledge base is "
                        "./.local/share/halftone/op_bank; --op_bank_path sets another"));
}

TEST(BankTest, NoBankWinsAndSaysSo) {
  const ProcessResult result = Halftone(
      {"tune", "--model=nowhere.onnx", "--no_bank", "--op_bank_path=" + ::testing::TempDir()});
  EXPECT_THAT(result.err, HasSubstr("warning: --no_bank wins over --op_bank_path="));
}

// The option was ignored, and the stored configuration run instead.
TEST(BankTest, AnyPrecisionOptionMeansThatNoStoredConfigurationIsRun) {
  for (const auto& [option, message] :
       {std::pair("--customize_dtypes=nowhere.cfg", "cannot read 'nowhere.cfg'"),
        std::pair("--modify_mixlist=nowhere.cfg", "--modify_mixlist is given, but")}) {
    const ProcessResult result = Halftone({"run", "--model=" + Digits("model.onnx"),
                                           "--op_bank_path=" + ::testing::TempDir(), option});
    EXPECT_THAT(result.err, HasSubstr(message)) << option;
  }
}

// In JSON the text is longer than the buffer of the stream, so that the write itself fails.
TEST(OutputTest, AFullDiskIsAnError) {
  for (const std::string format : {"table", "json"}) {
    const ProcessResult result =
        RunProcess({"/bin/sh", "-c",
                    std::string(HALFTONE_BINARY) + " explain --model=" + Digits("model.onnx") +
                        " --format=" + format + " >/dev/full"});
    EXPECT_EQ(result.exit_code, 1) << format;
    EXPECT_THAT(result.err, HasSubstr("standard output could not be written: No space left"));
  }
}

// The writer starts when the reader has closed its end.
TEST(OutputTest, AReaderThatGoesAwayIsNoError) {
  const std::string closed = ::testing::TempDir() + "halftone_cli_test_closed";
  for (const std::string format : {"table", "json"}) {
    const ProcessResult result = RunProcess(
        {"/bin/sh", "-c",
         "rm -f " + closed + "; { while [ ! -e " + closed + " ]; do :; done; " + HALFTONE_BINARY +
             " explain --model=" + Digits("model.onnx") + " --format=" + format +
             "; echo code $? >&2; } | { exec <&-; : > " + closed + "; }"});
    EXPECT_THAT(result.err, HasSubstr("code 141")) << format;
    EXPECT_THAT(result.err, Not(HasSubstr("error"))) << format;
  }
}

struct ErrorCase {
  const char* name;
  std::vector<std::string> arguments;  // "$digits" stands for the example network
  int exit_code;
  const char* message;
};

class ErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(ErrorTest, OneSentenceOnStderrAndTheRightExitCode) {
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    const auto position = argument.find("$digits");
    if (position != std::string::npos) {
      argument.replace(position, 7, Digits("model.onnx"));
    }
  }
  const std::string typo = ::testing::TempDir() + "halftone_cli_test_typo.cfg";
  WriteFileAtomically(typo, "stem/convv\n");
  for (std::string& argument : arguments) {
    const auto position = argument.find("$typo");
    if (position != std::string::npos) {
      argument.replace(position, 5, typo);
    }
  }
  const std::string script = ::testing::TempDir() + "halftone_cli_test_script.yaml";
  WriteFileAtomically(script, "NPURunConfig: {}\n");
  for (std::string& argument : arguments) {
    const auto position = argument.find("$script");
    if (position != std::string::npos) {
      argument.replace(position, 7, script);
    }
  }
  const ProcessResult result = Halftone(arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_THAT(result.err, HasSubstr("error: "));
}

const ErrorCase kErrors[] = {
    {"NoCommand", {}, 2, "expected a command: tune, retune, run, explain, bank, aoe"},
    {"UnknownCommand", {"frobnicate"}, 2, "unknown command 'frobnicate'"},
    {"AoeWithoutJob", {"aoe", "-m", "$digits"}, 2, "E10054: --job_type is missing"},
    {"AoeWords",
     {"aoe", "--model=$digits", "-j=2"},
     2,
     "expected a blank between -j and its value"},
    {"NpuConfigMissing",
     {"explain", "--model=$digits", "--npu_config=nowhere.yaml"},
     2,
     "E10001: --npu_config=nowhere.yaml: cannot read 'nowhere.yaml'"},
    {"NpuConfigInference",
     {"explain", "--model=$digits", "--npu_config=$script", "--precision_mode=force_fp16"},
     2,
     "force_fp16"},
    {"NpuConfigAndDiff",
     {"explain", "--model=$digits", "--npu_config=$script", "--diff", "precision_mode=force_fp16",
      "precision_mode=force_fp32"},
     2,
     "--npu_config and --diff exclude each other"},
    {"MissingModel", {"tune"}, 2, "E10054: --model is required; see halftone tune --help"},
    {"RunWithoutModel", {"run"}, 2, "E10054: --model is missing"},
    {"UnknownOption", {"explain", "--model=$digits", "--presision_mode=x"}, 2, "--presision_mode"},
    {"NotANumber",
     {"tune", "--model=$digits", "--max_trials=many"},
     2,
     "expected a number of at least 1, got 'many'"},
    {"NotWhole", {"tune", "--model=x", "--max_trials=1.5"}, 2, "a whole number, found '1.5'"},
    {"NoBound", {"tune", "--model=x", "--max_rel_l2=a"}, 2, "--max_rel_l2 expects a number"},
    {"NegativeSeed", {"tune", "--model=x", "--seed=-1"}, 2, "--seed: expected a number of at"},
    {"NegativeThreads",
     {"run", "--model=$digits", "--threads=-1"},
     2,
     "expected a number of at least 0, got '-1'"},
    {"ThreadsBeyondCores",
     {"run", "--model=$digits", "--threads=100000"},
     2,
     "--threads=100000: expected 0 (all) to"},
    {"BoundIsNan",
     {"tune", "--model=$digits", "--no_bank", "--max_latency_ratio=nan"},
     2,
     "--max_latency_ratio=nan: expected a positive number"},
    {"BoundInPercent",
     {"tune", "--model=$digits", "--no_bank", "--max_top1_drop=5"},
     2,
     "--max_top1_drop=5: expected a fraction from 0 to 1"},
    {"OperatorBudgetWithoutTuning",
     {"tune", "--model=nothing.onnx", "--no_bank", "--operator_budget=2"},
     2,
     "error: --operator_budget is of --operator_tuning, which is not given; add it or leave the "
     "budget out\n"},
    {"OperatorBudgetIsEndless",
     {"tune", "--model=nothing.onnx", "--no_bank", "--operator_tuning", "--operator_budget=inf"},
     2,
     "error: --operator_budget=inf: expected 0 to 86400 seconds, a day at most\n"},
    {"OperatorBudgetIsHuge",
     {"tune", "--model=nothing.onnx", "--no_bank", "--operator_tuning", "--operator_budget=1e300"},
     2,
     "error: --operator_budget=1e+300: expected 0 to 86400 seconds, a day at most\n"},
    {"PinnedNameMisspelt",
     {"tune", "--model=$digits", "--no_bank", "--keep_dtype=$typo"},
     2,
     "E10042"},
    {"NegativeTolerance",
     {"run", "--check", "somewhere", "--rtol=-1"},
     2,
     "expected a number of at least 0, got '-1'"},
    {"EndlessOptionFile",
     {"explain", "--model=$digits", "--keep_dtype=/dev/zero"},
     2,
     "E10001: --keep_dtype=/dev/zero: cannot read '/dev/zero': expected a regular file, found a "
     "pipe "
     "or a device"},
    {"ModelMissing", {"explain", "--model=nothing.onnx"}, 1, "reading 'nothing.onnx': "},
    {"ModelIsADevice", {"explain", "--model=/dev/zero"}, 1, "expected a regular file"},
    {"ModelIsNoModel", {"explain", "--model=" HALFTONE_BINARY}, 1, "error: reading '"},
    {"ModeUnknown", {"explain", "--model=$digits", "--precision_mode=fp17"}, 2, "E10001"},
    {"BothModes",
     {"explain", "--model=$digits", "--precision_mode=force_fp16", "--precision_mode_v2=fp16"},
     2,
     "E10056"},
    {"MixlistFileMissing",
     {"explain", "--model=$digits", "--precision_mode=allow_mix_precision",
      "--modify_mixlist=a.json"},
     2,
     "E10001: --modify_mixlist=a.json: cannot read"},
    {"ModeBeforeFiles",
     {"explain", "--model=$digits", "--modify_mixlist=a.json"},
     2,
     "E10001: --modify_mixlist is given, but the precision mode is force_fp16"},
    {"OptionsBeforeModel",
     {"explain", "--model=nothing.onnx", "--precision_mode=fp17"},
     2,
     "E10001: --precision_mode has the value 'fp17'"},
    {"OptionsBeforeModelInRun",
     {"run", "--model=nothing.onnx", "--output_type=FP64"},
     2,
     "E10001: --output_type=FP64"},
    {"OptionsBeforeModelInTune",
     {"tune", "--model=nothing.onnx", "--no_bank", "--precision_mode=fp17"},
     2,
     "E10001: --precision_mode has the value 'fp17'"},
    {"TuneWithAValueOfTheOtherModeOption",
     {"tune", "--model=$digits", "--no_bank", "--precision_mode=mixed_float16"},
     2,
     "it is a value of --precision_mode_v2"},
    {"FormatBeforeModel",
     {"explain", "--model=nothing.onnx", "--format=xml"},
     2,
     "--format has the value 'xml'"},
    {"BinaryOptionFile",
     {"explain", "--model=$digits", "--keep_dtype=$digits"},
     2,
     "expected a text file, found a binary one"},
    {"EmptyValueIsUnset",
     {"explain", "--model=$digits", "--precision_mode=", "--soc_version=Ascend310X3"},
     2,
     "E10001: --soc_version has the value 'Ascend310X3'"},
    {"EmptyWordIsUnset",
     {"explain", "--model=$digits", "--keep_dtype", "", "--format=xml"},
     2,
     "--format has the value 'xml'"},
    {"EmptyValueOfARequiredOption", {"tune", "--model="}, 2, "E10054: --model is required"},
    {"EmptyValueInAoe",
     {"aoe", "--model=$digits", "--job_type=", "--precision_mode="},
     2,
     "E10054: --job_type is missing"},
    {"EmptyValueOfNoOption",
     {"explain", "--model=$digits", "--presision_mode="},
     2,
     "--presision_mode"},
    {"ListOfNothing",
     {"explain", "--model=$digits", "--input_fp16_nodes=;"},
     2,
     "E10001: --input_fp16_nodes=;: expected names separated by ';', found none"},
    {"TargetUnknown",
     {"explain", "--model=$digits", "--soc_version=Ascend310X3"},
     2,
     "E10001: --soc_version has the value 'Ascend310X3', which is none of: host, Ascend310, "},
    {"OpsInfoMissing",
     {"explain", "--model=$digits", "--soc_version=Ascend310P3", "--ops_info=nothing.json"},
     2,
     "E10001: --ops_info=nothing.json: no such file or folder"},
    {"NoEngineOnTheTarget",
     {"explain", "--model=$digits", "--soc_version=Ascend310P3",
      "--precision_mode=must_keep_origin_dtype"},
     1,
     "EZ3003: no supported kernel and engine found for [stem/conv], optype [Conv2D]"},
    {"KeepFileMissing",
     {"explain", "--model=$digits", "--keep_dtype=nothing.cfg"},
     2,
     "E10001: --keep_dtype=nothing.cfg"},
    {"FusionSwitchFileMissing",
     {"run", "--model=nothing.onnx", "--fusion_switch_file=nothing.json"},
     2,
     "E10001: --fusion_switch_file=nothing.json: cannot read 'nothing.json'"},
    {"FusionSwitchFileMissingInCheck",
     {"run", "--check", "nowhere", "--fusion_switch_file=nothing.json"},
     2,
     "E10001: --fusion_switch_file=nothing.json: cannot read 'nothing.json'"},
    {"FusionSwitchFileIsNoJson",
     {"explain", "--model=$digits", "--fusion_switch_file=$typo"},
     2,
     "expected JSON"},
    {"ShapeDoesNotFit",
     {"explain", "--model=$digits", "--input_shape=pixels:1,3,8,8"},
     2,
     "pixels"},
    {"ShapeIsARange",
     {"explain", "--model=$digits", "--input_shape=pixels:1~8,1,8,8"},
     2,
     "E10001: --input_shape: input shape 'pixels:1~8,1,8,8': '1~8' is a range"},
    {"ShapeOfNoInput",
     {"aoe", "--model=$digits", "--job_type=2", "--input_shape=pixel:1,1,8,8"},
     2,
     "pixel"},
    {"StrategyUnknown", {"tune", "--model=$digits", "--no_bank", "--strategy=magic"}, 2, "magic"},
    {"InputsMissing", {"run", "--model=$digits", "--inputs=nothing.npy"}, 1, "nothing.npy"},
    {"BankMissing", {"bank", "list", "--op_bank_path=nowhere"}, 1, "there is no knowledge base"},
    {"BankMissingInRun",
     {"run", "--model=$digits", "--op_bank_path=nowhere"},
     1,
     "there is no knowledge base 'nowhere/host/halftone.db': check --op_bank_path and "
     "--soc_version, or fill it with `halftone tune`"},
    {"BankMissingInRunWithAMode",
     {"run", "--model=$digits", "--op_bank_path=nowhere", "--precision_mode=force_fp16"},
     1,
     "there is no knowledge base 'nowhere/host/halftone.db': check --op_bank_path and "
     "--soc_version, or fill it with `halftone tune`"},
    {"StoredAndOptions",
     {"run", "--model=$digits", "--select=1", "--precision_mode=force_fp16"},
     2,
     "exclude precision options"},
};
INSTANTIATE_TEST_SUITE_P(Table, ErrorTest, ::testing::ValuesIn(kErrors),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
