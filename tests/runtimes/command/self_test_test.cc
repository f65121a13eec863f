// CommandRuntime::SelfTest(): commands that measure something else than what they are given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtimes/command/scripted_runtime.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using testing::Script;
using ::testing::StartsWith;

class CommandSelfTest : public testing::ScriptedRuntime {};

TEST_F(CommandSelfTest, ADamagedModelThatDoesNotRun) {
  Script script;
  script.check =
      R"(grep -q Relu "$HALFTONE_MODEL" && ! grep -q _damaged "$HALFTONE_MODEL" || exit 3)";
  EXPECT_THAT(Make(script)->SelfTest().at(0),
              StartsWith("A model with negated outputs does not run there: whether"));
}

TEST_F(CommandSelfTest, ACommandThatIgnoresTheModel) {
  Script script;
  script.run = R"(for d in "$HALFTONE_INPUTS"/*/; do s=$(basename "$d")
      mkdir -p "$HALFTONE_OUTPUTS/$s"; cp "$d/0.bin" "$HALFTONE_OUTPUTS/$s/0.bin"; done)";
  EXPECT_EQ(SelfTestError(script),
            "--measure=command: a model with negated outputs gives the outputs of float32: the "
            "command does not run {model} (HALFTONE_MODEL), or leaves outputs of an earlier call");
}

TEST_F(CommandSelfTest, ACommandThatIgnoresTheModelAndHasNoOutputs) {
  Script script;
  script.check = "";
  script.more = R"("runtime":"Fake 1")";
  EXPECT_EQ(SelfTestError(script),
            "--measure=command: a file that is no model is measured like any other: the command "
            "does not run {model} (HALFTONE_MODEL)");
}

TEST_F(CommandSelfTest, ACommandThatFavoursCandidates) {
  Script script;
  script.time = R"(t=2; if [ "$HALFTONE_ROLE" = candidate ]; then t=1; fi)";
  EXPECT_THAT(SelfTestError(script),
              HasSubstr("float32 as a candidate takes 0.5 times as long as float32 as the "
                        "reference, [0.5, 0.5] over 6 pairs of calls"));
}

TEST_F(CommandSelfTest, Float32CannotBeMeasured) {
  Script script;
  script.check = "echo no float32 here >&2; exit 3";
  EXPECT_EQ(MessageOf(ErrorKind::kUnsupported, [&] { Make(script)->SelfTest(); }),
            "--measure=command: float32 cannot be measured: 'no float32 here'");
  script.check = "echo no device >&2; exit 1";
  EXPECT_THAT(MessageOf(ErrorKind::kUnsupported, [&] { Make(script)->SelfTest(); }),
              HasSubstr("3 calls in a row failed"));
}

TEST_F(CommandSelfTest, ACommandToTrust) {
  EXPECT_EQ(
      Make(Script())->SelfTest(),
      (std::vector<std::string>{"float32 takes 2.00 ms there; calls of the command differ by 0 "
                                "%, so each plan is called once or more."}));
}

}  // namespace
}  // namespace halftone
