// A training script's settings beside typed options.
#include "src/training/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TrainingScript Script(std::string_view settings) {
  return ParseTrainingScript(settings, "npu.yaml");
}

constexpr std::string_view kV1 =
    "NPURunConfig:\n  precision_mode: allow_mix_precision\n  op_select_implmode: high_precision\n";

TEST(MergeTyped, TakesTheScriptWhereNothingIsTyped) {
  const MergedArguments merged = MergeTyped(Script(kV1), {});
  EXPECT_EQ(merged.arguments.precision_mode, "allow_mix_precision");
  EXPECT_EQ(merged.arguments.op_select_implmode, "high_precision");
  EXPECT_EQ(merged.arguments.graph_run_mode, "1");
  EXPECT_THAT(merged.warnings, IsEmpty());
}

TEST(MergeTyped, TheSameValueIsNoNews) {
  EXPECT_THAT(MergeTyped(Script(kV1), {.precision_mode = "allow_mix_precision"}).warnings,
              IsEmpty());
}

TEST(MergeTyped, ATypedOptionWins) {
  const MergedArguments merged =
      MergeTyped(Script(kV1), {.precision_mode = "must_keep_origin_dtype"});
  EXPECT_EQ(merged.arguments.precision_mode, "must_keep_origin_dtype");
  EXPECT_EQ(merged.arguments.op_select_implmode, "high_precision");
  EXPECT_THAT(merged.warnings,
              ElementsAre("--precision_mode=must_keep_origin_dtype wins over "
                          "precision_mode=allow_mix_precision of the training script"));
}

// Both would be E10056, though the user meant the typed one.
TEST(MergeTyped, ATypedModeWinsOverTheOtherOption) {
  const MergedArguments merged = MergeTyped(Script(kV1), {.precision_mode_v2 = "origin"});
  EXPECT_EQ(merged.arguments.precision_mode, "");
  EXPECT_EQ(merged.arguments.precision_mode_v2, "origin");
  EXPECT_THAT(merged.warnings,
              ElementsAre("the precision mode on the command line wins over "
                          "precision_mode=allow_mix_precision of the training script"));
}

// graph_run_mode=1 is what a script without it means, not what it says.
TEST(MergeTyped, ADefaultIsOverriddenSilently) {
  const MergedArguments merged = MergeTyped(Script(kV1), {.graph_run_mode = "0"});
  EXPECT_EQ(merged.arguments.graph_run_mode, "0");
  EXPECT_THAT(merged.warnings, IsEmpty());
}

TEST(ScriptLines, NameTheLineOfTheOptionThatIsWrong) {
  const TrainingScript script = Script(kV1);
  EXPECT_EQ(ScriptLines(script, "npu.yaml", {}, "E10001: --precision_mode has the value 'x'"),
            "; --precision_mode is from npu.yaml:2");
  EXPECT_EQ(ScriptLines(script, "npu.yaml", {}, "E10001: --precision_mode_v2=x"), "");
  EXPECT_EQ(ScriptLines(script, "npu.yaml", {.precision_mode = "x"}, "E10001: --precision_mode"),
            "");
}

}  // namespace
}  // namespace halftone
