// What the program says of a wrong command line, and its exit code.
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
    {"NoCommand",
     {},
     2,
     "expected a command: tune, retune, run, explain, export, compare, bank, fleet, aoe"},
    {"UnknownCommand", {"frobnicate"}, 2, "unknown command 'frobnicate'"},
    {"UnknownCommandWithHelp",
     {"foo", "--help"},
     2,
     "error: unknown command 'foo'; expected a command: tune, retune, run, explain, export, "
     "compare, bank, fleet, aoe, atc, qaic-compile, qaic-exec, completion, manual; see halftone "
     "--help\n"},
    {"UnknownCommandWithVersion",
     {"foo", "--version"},
     2,
     "error: unknown command 'foo'; expected"},
    {"UnknownBankCommandWithHelp",
     {"bank", "foo", "--help"},
     2,
     "error: unknown command 'bank foo'; expected a command: list, show, merge, verify, prune, "
     "export, import; see halftone bank --help\n"},
    {"BankAlone",
     {"bank"},
     2,
     "error: expected a command behind halftone bank: list, show, merge, verify, prune, export, "
     "import; see halftone bank --help\n"},
    {"FleetAlone",
     {"fleet"},
     2,
     "error: expected a command behind halftone fleet: submit, status, resume, report, retune, "
     "features, work, merge; see halftone fleet --help\n"},
    {"CompareOfNothing",
     {"compare", "nowhere_1", "nowhere_2"},
     1,
     "error: cannot read 'nowhere_1': No such file or directory; cannot read 'nowhere_2': No such "
     "file or directory\n"},
    {"QaicWithoutModel", {"qaic-compile", "-convert-to-fp16"}, 2, "error: -m is missing"},
    {"QaicUnknownOption",
     {"qaic-exec", "-m=$digits", "-convert-to-fp61"},
     2,
     "unknown option -convert-to-fp61; did you mean -convert-to-fp16?"},
    {"ExportToUnknown",
     {"export", "--model=$digits", "--to=coreml", "--output=nowhere/x.onnx"},
     2,
     "--to=coreml is no format; expected all, onnx-qdq, onnx-qdq:flavour=ort, "
     "onnx-qdq:flavour=tensorrt"},
    {"ExportOfFloat32",
     {"export", "--model=$digits", "--precision_mode=must_keep_origin_dtype",
      "--output=nowhere/x.onnx"},
     2,
     "the plan has no operator in 8 or 16 bits"},
    {"AoeWithoutJob", {"aoe", "-m", "$digits"}, 2, "E10054: --job_type is missing"},
    {"AoeWords",
     {"aoe", "--model=$digits", "-j=2"},
     2,
     "expected a blank between -j and its value"},
    {"NpuConfigMissing",
     {"explain", "--model=$digits", "--npu_config=nowhere.yaml"},
     2,
     "E10001: --npu_config=nowhere.yaml: cannot read 'nowhere.yaml'"},
    {"NpuConfigAndDiff",
     {"explain", "--model=$digits", "--npu_config=$script", "--diff", "precision_mode=force_fp16",
      "precision_mode=force_fp32"},
     2,
     "--npu_config and --diff exclude each other"},
    {"MissingModel", {"tune"}, 2, "E10054: --model is required; see halftone tune --help"},
    {"MistypedBeforeMissing",
     {"tune", "--modle=x"},
     2,
     "error: --modle is no option of halftone tune; did you mean --model?; see halftone tune"},
    {"RunWithoutModel", {"run"}, 2, "E10054: --model is missing"},
    {"UnknownOption", {"explain", "--model=$digits", "--presision_mode=x"}, 2, "--presision_mode"},
    {"NotANumber",
     {"tune", "--model=$digits", "--max_trials=many"},
     2,
     "--max_trials: expected a whole number from 1 to 1000000000, found 'many'"},
    {"NotWhole",
     {"tune", "--model=x", "--max_trials=1.5"},
     2,
     "--max_trials: expected a whole number from 1 to 1000000000, found '1.5'"},
    {"NoBound",
     {"tune", "--model=x", "--max_rel_l2=a"},
     2,
     "--max_rel_l2=a: expected a number from 0 up (0.01 is 40 dB), or that of a share of the "
     "samples"},
    {"NoFlag",
     {"tune", "--model=x", "--no_bank=maybe"},
     2,
     "--no_bank expects true or false, found"},
    {"Beyond64Bits",
     {"tune", "--model=x", "--max_trials=1e19"},
     2,
     "--max_trials: expected a whole number from 1 to 1000000000, found '1e19'"},
    {"LongNumber",
     {"tune", "--model=x", "--seed=99999999999999999999"},
     2,
     "--seed: expected a whole number from 0 to 9223372036854775807, found '99999999999999999999'"},
    {"NegativeSeed",
     {"tune", "--model=x", "--seed=-1"},
     2,
     "--seed: expected a whole number from 0 to 9223372036854775807, found '-1'"},
    {"NegativeThreads",
     {"run", "--model=$digits", "--threads=-1"},
     2,
     "--threads: expected a whole number from 0 to 1024, found '-1'"},
    {"ThreadsBeyondCores",
     {"run", "--model=$digits", "--threads=100000"},
     2,
     "--threads: expected a whole number from 0 to 1024, found '100000'"},
    {"BoundIsNan",
     {"tune", "--model=$digits", "--no_bank", "--max_latency_ratio=nan"},
     2,
     "--max_latency_ratio=nan: expected a positive number"},
    {"BoundInPercent",
     {"tune", "--model=$digits", "--no_bank", "--max_top1_drop=5"},
     2,
     "--max_top1_drop=5: expected a fraction from 0 to 1"},
    {"OperatorBudgetWithoutTuning",
     {"tune", "--model=nothing.onnx", "--no_bank", "--operator_tuning=off", "--operator_budget=2"},
     2,
     "error: --operator_budget is of no use with --operator_tuning=off: leave one of them out\n"},
    {"OperatorTuningIsUnknown",
     {"tune", "--model=nothing.onnx", "--no_bank", "--operator_tuning=fast"},
     2,
     "error: --operator_tuning=fast: expected one of off, profile, full\n"},
    {"OperatorBudgetIsEndless",
     {"tune", "--model=nothing.onnx", "--no_bank", "--operator_tuning", "--operator_budget=inf"},
     2,
     "error: --operator_budget: expected a number from 0 to 86400, found 'inf'"},
    {"OperatorBudgetIsHuge",
     {"tune", "--model=nothing.onnx", "--no_bank", "--operator_tuning", "--operator_budget=1e300"},
     2,
     "error: --operator_budget: expected a number from 0 to 86400, found '1e300'"},
    {"PinnedNameMisspelt",
     {"tune", "--model=$digits", "--no_bank", "--keep_dtype=$typo"},
     2,
     "E10042"},
    {"NegativeTolerance",
     {"run", "--check", "somewhere", "--rtol=-1"},
     2,
     "--rtol: expected a number from 0 to 1e+30, found '-1'"},
    {"EndlessOptionFile",
     {"explain", "--model=$digits", "--keep_dtype=/dev/zero"},
     2,
     "E10001: --keep_dtype=/dev/zero: cannot read '/dev/zero': expected a regular file, found a "
     "pipe "
     "or a device"},
    {"ModelMissing",
     {"explain", "--model=nothing.onnx"},
     1,
     "'nothing.onnx' does not exist; expected an ONNX file, or a folder with model.onnx"},
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
    {"RepeatedOption",
     {"explain", "--model=$digits", "--node=a", "--node=b"},
     2,
     "--node is given 2 times, expected once"},
    {"OneSetOfDiff",
     {"explain", "--model=$digits", "--diff", "precision_mode=force_fp16"},
     2,
     "--diff expects 2 values, found 1"},
    {"MisspeltOption",
     {"run", "--model=$digits", "--label=x"},
     2,
     "--label is no option of halftone run; did you mean --labels?"},
    {"MisspeltOptionOfAnInnerCommand",
     {"bank", "list", "--op_bank_pat=x"},
     2,
     "--op_bank_pat is no option of halftone bank list; did you mean --op_bank_path?"},
    {"EmptyPoint",
     {"run", "--model=$digits", "--point="},
     2,
     "--point has no value; expected the folder of a point"},
    {"EmptyWordForPoint",
     {"explain", "--model=$digits", "--point", ""},
     2,
     "--point has no value; expected the folder of a point"},
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
    {"TwoTargets",
     {"explain", "--model=$digits", "--soc_version=Ascend310P3", "--target=cloud_ai_100"},
     2,
     "--target=cloud_ai_100 is another name of --soc_version, which is Ascend310P3: give one of "
     "them"},
    {"UnknownTargetByItsOtherName",
     {"explain", "--model=$digits", "--target=Ascend310X3"},
     2,
     "E10001: --soc_version has the value 'Ascend310X3'"},
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
     {"explain", "--model=$digits", "--input_shape=pixels:8~1,1,8,8"},
     2,
     "E10001: --input_shape=\"pixels:8~1,1,8,8\": '8~1' is no range"},
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
