// The program as a user meets it: help, plans, output. Golden texts: tests/golden/cli/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::MatchesGolden;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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

INSTANTIATE_TEST_SUITE_P(
    Commands, HelpTest,
    ::testing::Values(HelpCase{"help", {"--help"}}, HelpCase{"help_tune", {"tune", "--help"}},
                      HelpCase{"help_tune_all", {"tune", "--help-all"}},
                      HelpCase{"help_run", {"run", "--help"}},
                      HelpCase{"help_explain", {"explain", "--help"}},
                      HelpCase{"help_export", {"export", "--help"}},
                      HelpCase{"help_bank", {"bank", "--help"}},
                      HelpCase{"help_bank_prune", {"bank", "prune", "--help"}},
                      HelpCase{"help_fleet", {"fleet", "--help"}},
                      HelpCase{"help_fleet_submit", {"fleet", "submit", "--help"}},
                      HelpCase{"help_fleet_status", {"fleet", "status", "--help"}},
                      HelpCase{"help_retune", {"retune", "--help"}}),
    [](const auto& row) { return row.param.name; });

// "label: value" of a text of lines.
std::string ValueOf(const std::string& text, const std::string& label) {
  const std::size_t begin = text.find("\n" + label + ": ");
  if (begin == std::string::npos) {
    return "no line " + label;
  }
  const std::size_t value = begin + label.size() + 3;
  return text.substr(value, text.find('\n', value) - value);
}

TEST(CliTest, VersionSaysWhatTheCpuHasAndWhatIsUsed) {
  // Without the limit that these tests may run under.
  const ProcessResult all = RunProcess({HALFTONE_BINARY, "--version"}, {{"HALFTONE_MAX_ISA", ""}});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, StartsWith("halftone 0.1.0, "));
  const std::string sets = ValueOf(all.out, "instruction sets of the CPU");
  EXPECT_THAT(sets, AnyOf("baseline", StartsWith("avx2")));
  // No kernel needs arithmetic of binary16 yet: of those known it alone may be left out.
  EXPECT_THAT(sets, StartsWith(ValueOf(all.out, "used").substr(0, sets.find("+avx512_fp16"))));

  const ProcessResult least =
      RunProcess({HALFTONE_BINARY, "--version"}, {{"HALFTONE_MAX_ISA", "baseline"}});
  EXPECT_EQ(ValueOf(least.out, "instruction sets of the CPU"), sets);
  EXPECT_EQ(ValueOf(least.out, "used"),
            sets == "baseline" ? sets : "baseline (HALFTONE_MAX_ISA allows no more)");
}

TEST(CliTest, UnknownInstructionSetIsAnErrorOfUse) {
  const ProcessResult result =
      RunProcess({HALFTONE_BINARY, "run", "--model=" + Digits("model.onnx"), "--explain"},
                 {{"HALFTONE_MAX_ISA", "sse9"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("environment variable HALFTONE_MAX_ISA: expected one of "
                                    "baseline, avx2, avx512, "));
  EXPECT_THAT(result.err, HasSubstr(", or several joined by +, got 'sse9'"));
}

// In bfloat16, because what float16 offers depends on the CPU (a fast twin with AVX512-BF16 only).
TEST(ExplainTest, GoldenPlanOfTheExample) {
  const ProcessResult result = Halftone(
      {"explain", "--model=" + Digits("model.onnx"), "--precision_mode=allow_mix_precision_bf16"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(MatchesGolden(result.out, "cli/explain_digits.txt"));
}

// Those of COLUMNS.
TEST(ExplainTest, TheTableFitsTheColumns) {
  for (const auto& [columns, most] : {std::pair("100", 100U), {"80", 80U}, {"1", 60U}}) {
    const ProcessResult result = RunProcess(
        {HALFTONE_BINARY, "explain", "--model=" + Digits("model.onnx")}, {{"COLUMNS", columns}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string_view table =
        std::string_view(result.out).substr(0, result.out.find(" on host: "));
    for (const std::string_view line : Split(table.substr(0, table.rfind('\n')), '\n')) {
      EXPECT_LE(line.size(), most) << line;
    }
  }
}

// In a pipe whose width nobody says other programs read the rows.
TEST(ExplainTest, EachRowIsOneLineInAPipe) {
  for (const char* columns : {"", "many", "0", "-1"}) {
    const ProcessResult result = RunProcess(
        {HALFTONE_BINARY, "explain", "--model=" + Digits("model.onnx")}, {{"COLUMNS", columns}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string_view table =
        std::string_view(result.out).substr(0, result.out.find(" on host: "));
    const auto lines = Split(table.substr(0, table.rfind('\n')), '\n');
    ASSERT_EQ(lines.size(), 1 + 21) << "a heading and 21 nodes" << table;
    for (const std::string_view line : lines) {
      EXPECT_FALSE(line.starts_with(' ')) << line;
      EXPECT_NE(line.find("  "), std::string_view::npos) << line;
    }
    EXPECT_THAT(table, HasSubstr("\nhead/average  GlobalAveragePool  "));
  }
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

TEST(ExplainTest, TargetIsAnotherNameOfSocVersion) {
  const std::string model = "--model=" + Digits("model.onnx");
  const ProcessResult named = Halftone({"explain", model, "--soc_version=Ascend310P3"});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_EQ(Halftone({"explain", model, "--target=Ascend310P3"}).out, named.out);
  EXPECT_EQ(Halftone({"explain", model, "--target=Ascend310P3", "--soc_version=Ascend310P3"}).out,
            named.out);
  EXPECT_NE(Halftone({"explain", model, "--target=host"}).out, named.out);
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

}  // namespace
}  // namespace halftone
