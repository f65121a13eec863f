#include "src/runtimes/command/command_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtimes/command/scripted_runtime.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Script;
using ::testing::StartsWith;

class CommandRuntimeTest : public testing::ScriptedRuntime {};

TEST_F(CommandRuntimeTest, OneCallGivesLatencyAndOutputs) {
  const auto runtime = Make(Script());
  EXPECT_EQ(runtime->SelfTest().size(), 1U);
  NewCalls();
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  EXPECT_TRUE(all_);
  const Latency latency = std::get<Latency>(runtime->Time(*plan, {.budget_s = 0}));
  EXPECT_DOUBLE_EQ(latency.ratio, 0.75);
  EXPECT_DOUBLE_EQ(latency.median_s, 1.5e-3);
  EXPECT_DOUBLE_EQ(latency.anchor_median_s, 2e-3);
  EXPECT_LE(latency.ratio_interval.low, 0.75);
  EXPECT_GE(latency.ratio_interval.high, 0.75);
  EXPECT_THAT(Outputs(*runtime, *plan, samples_), ElementsAre(1, 2, 3));
  EXPECT_THAT(NewCalls(), ::testing::UnorderedElementsAre("candidate 3", "reference 3"));
  // Again, and on other samples.
  EXPECT_THAT(Outputs(*runtime, *plan, samples_), ElementsAre(1, 2, 3));
  EXPECT_THAT(NewCalls(), ElementsAre());
  runtime->Time(*plan, {.budget_s = 0});
  EXPECT_THAT(NewCalls(), ::testing::UnorderedElementsAre("candidate 1", "reference 1"));
  EXPECT_THAT(Outputs(*runtime, *plan, samples_), ElementsAre(1, 2, 3));
  EXPECT_THAT(Outputs(*runtime, *plan, Samples({7, 8})), ElementsAre(7, 8));
  EXPECT_THAT(NewCalls(), ElementsAre("candidate 2"));
}

TEST_F(CommandRuntimeTest, OutputsBeforeLatency) {
  const auto runtime = Make(Script());
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  EXPECT_THAT(Outputs(*runtime, *plan, samples_), ElementsAre(1, 2, 3));
  EXPECT_THAT(NewCalls(), ElementsAre("candidate 3"));
  const auto timed = runtime->Time(*plan, {.budget_s = 0});
  EXPECT_EQ(std::get<Latency>(timed).candidate_samples_s.size(), 2U);  // no session yet
}

// The script takes 1.5 ms for all but float32.
TEST_F(CommandRuntimeTest, PlansRunInTurnsWithTheAnchorOfTheDevice) {
  CommandOptions options = ParseCommandOptions(Script().Text(Calls()));
  options.anchor = Anchor{.name = "force_fp32", .plan = Plan(DType::kFloat16)};
  const auto runtime = MakeCommandRuntime(network_, Writer(), samples_, options);
  EXPECT_EQ(runtime->anchor(), "force_fp32");
  EXPECT_THAT(runtime->description(), HasSubstr("against force_fp32"));
  const auto plan = Built(*runtime, ReferencePlan(network_));
  const Latency latency = std::get<Latency>(runtime->Time(*plan, {.budget_s = 0}));
  EXPECT_DOUBLE_EQ(latency.anchor_median_s, 1.5e-3);
  EXPECT_DOUBLE_EQ(latency.ratio, 2 / 1.5);
}

TEST_F(CommandRuntimeTest, TheReferenceIsNamedWhereItFails) {
  Script script;
  script.run = R"(if [ "$HALFTONE_ROLE" = reference ]; then exit 4; fi)";
  CommandOptions options = ParseCommandOptions(script.Text(Calls()));
  options.anchor = Anchor{.name = "force_fp32", .plan = Plan(DType::kFloat16)};
  const auto runtime = MakeCommandRuntime(network_, Writer(), samples_, options);
  EXPECT_THAT(MessageOf(ErrorKind::kUnsupported, [&] { runtime->SelfTest(); }),
              HasSubstr("force_fp32"));
}

// float32 takes 2 ms.
TEST_F(CommandRuntimeTest, RunsFitTheBudgetOfSlowNetworks) {
  Script script;
  const std::filesystem::path runs = folder_.path() / "runs";
  script.time += "; echo $HALFTONE_RUNS >> " + ShellWord(runs.string());
  const auto runtime = Make(script);
  runtime->SelfTest();
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  const auto runs_for = [&](double budget_s) {
    std::filesystem::remove(runs);
    runtime->Time(*plan, {.budget_s = budget_s});
    return ReadFile(runs);
  };
  EXPECT_THAT(runs_for(10), StartsWith("50\n50\n"));
  EXPECT_THAT(runs_for(0.1), StartsWith("25\n25\n"));
  EXPECT_THAT(runs_for(0), StartsWith("10\n10\n"));
}

TEST_F(CommandRuntimeTest, NoMoreOutputsAreWanted) {
  const auto runtime = Make(Script());
  int taken = 0;
  runtime->Run(*Built(*runtime, Plan(DType::kFloat16)), samples_,
               [&](std::size_t, const std::vector<Tensor>&) { return ++taken < 2; });
  EXPECT_EQ(taken, 2);
}

TEST_F(CommandRuntimeTest, Float32HasOutputsToo) {
  const auto runtime = Make(Script());
  runtime->SelfTest();
  NewCalls();
  const auto plan = Built(*runtime, ReferencePlan(network_));
  EXPECT_THAT(Outputs(*runtime, *plan, samples_), ElementsAre(1, 2, 3));
  EXPECT_THAT(NewCalls(), ElementsAre());
  EXPECT_THAT(Outputs(*runtime, *plan, Samples({4})), ElementsAre(4));
  EXPECT_THAT(NewCalls(), ElementsAre("reference 1"));
}

TEST_F(CommandRuntimeTest, PlansAreBuiltOnce) {
  const auto runtime = Make(Script());
  EXPECT_EQ(Built(*runtime, Plan(DType::kFloat16)), Built(*runtime, Plan(DType::kFloat16)));
  EXPECT_NE(Built(*runtime, Plan(DType::kFloat16)), Built(*runtime, ReferencePlan(network_)));
}

TEST_F(CommandRuntimeTest, NoFileCanSayThePlan) {
  const auto runtime = Make(Script());
  const auto built = runtime->Build(Plan(DType::kBFloat16));
  EXPECT_EQ(std::get<Rejection>(built).reason, "no file says bfloat16");
}

TEST_F(CommandRuntimeTest, FactsAreWhatTheCommandSays) {
  Script script;
  script.more =
      R"("outputs":".","runtime":"Fake 1","device":"D","compile_s":4.5,"ran":{"r":"fp32"},"message":"warm","mhz":7)";
  const auto runtime = Make(script);
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  runtime->Time(*plan, {.budget_s = 0});
  const RuntimeRun& facts = plan->facts();
  EXPECT_FALSE(facts.as_asked);
  EXPECT_TRUE(facts.own_outputs);
  EXPECT_EQ(facts.detail,
            "1 of 1 node ran in another type than asked, such as 'r' in fp32, not fp16; warm; "
            "{\"mhz\":7}");
  EXPECT_EQ(facts.build_s, 4.5);
  EXPECT_THAT(facts.runtime, HasSubstr(", Fake 1, D"));
}

TEST_F(CommandRuntimeTest, TheDescriptionHasRuntimeAndDevice) {
  const auto runtime = Make(Script());
  EXPECT_THAT(runtime->description(), StartsWith("command 'sh -c "));
  EXPECT_THAT(runtime->description(), Not(::testing::EndsWith(", Fake 1, D")));
  runtime->SelfTest();
  EXPECT_THAT(runtime->description(), ::testing::EndsWith(", Fake 1, D"));
}

// Results of a script are others when it changes.
TEST_F(CommandRuntimeTest, TheDescriptionHasADigestOfScripts) {
  folder_.Write("a.sh", "exit 0");
  const std::string command = "sh " + (folder_.path() / "a.sh").string();
  const std::string before = Make(command)->description();
  folder_.Write("a.sh", "exit 1");
  EXPECT_NE(Make(command)->description(), before);
  EXPECT_THAT(before, HasSubstr(", programs "));
}

TEST_F(CommandRuntimeTest, CommandsWithoutOutputs) {
  Script script;
  script.more = R"("runtime":"Fake 1")";
  const auto runtime = Make(script);
  const std::vector<std::string> notes = runtime->SelfTest();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0],
            "The command hands out no outputs: whether the command measures the model that it is "
            "given was tried only with a file that is no model, which fails, as it should.");
  NewCalls();
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  runtime->Time(*plan, {.budget_s = 0});
  const auto outcome =
      runtime->Run(*plan, samples_, [](std::size_t, const std::vector<Tensor>&) { return true; });
  EXPECT_EQ(std::get<RuntimeOutputs>(outcome), RuntimeOutputs::kNone);
  EXPECT_FALSE(plan->facts().own_outputs);
  EXPECT_THAT(NewCalls(), ::testing::UnorderedElementsAre("candidate 1", "reference 1"));
}

TEST_F(CommandRuntimeTest, AMissingSampleOfFloat32IsAnError) {
  Script script;
  script.more = R"("outputs":"1")";
  const auto runtime = Make(script);
  const auto plan = Built(*runtime, ReferencePlan(network_));
  EXPECT_EQ(MessageOf(ErrorKind::kUnsupported, [&] { Outputs(*runtime, *plan, samples_); }),
            "--measure=command: float32 cannot be measured: outputs/0/0.bin: expected output 'y' "
            "of sample 0 (from 0), found no such file");
}

// What a candidate left, in place of outputs, is its own fault as long as float32 is well.
struct Leaves {
  const char* script;  // in {outputs}, where 0/0.bin is that of sample 0
  const char* reason;  // a part of it
};

class SpoiltOutputsTest : public CommandRuntimeTest, public ::testing::WithParamInterface<Leaves> {
 protected:
  // `then`: more of the script.
  std::unique_ptr<CommandRuntime> Spoiling(const std::string& then, const std::string& outputs) {
    Script script;
    script.run += std::string("\nif grep -q other \"$HALFTONE_MODEL\"; then (cd ") +
                  "\"$HALFTONE_OUTPUTS\"; " + GetParam().script + "); fi\n" + then;
    script.more = "\"outputs\":\"" + outputs + "\"";
    return Make(script);
  }
};

// Outputs that lie in {work} are taken out after the call.
TEST_P(SpoiltOutputsTest, IsARejectionWhenItIsTimed) {
  const auto runtime =
      Spoiling("rm -rf out; mv \"$HALFTONE_OUTPUTS\" out; mkdir \"$HALFTONE_OUTPUTS\"", "out");
  const auto outcome = runtime->Time(*Built(*runtime, Plan(DType::kFloat16)), {.budget_s = 0});
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  EXPECT_THAT(std::get<Rejection>(outcome).reason, HasSubstr(GetParam().reason));
}

TEST_P(SpoiltOutputsTest, IsARejectionWhenItIsRun) {
  const auto runtime = Spoiling("", ".");
  const auto outcome = runtime->Run(*Built(*runtime, Plan(DType::kFloat16)), samples_,
                                    [](std::size_t, const std::vector<Tensor>&) { return true; });
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  EXPECT_THAT(std::get<Rejection>(outcome).reason, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SpoiltOutputsTest,
    ::testing::Values(
        Leaves{"rm 1/0.bin", "found no such file"}, Leaves{"rm -r 2", "found no such file"},
        Leaves{"rm 1/0.bin; mkfifo 1/0.bin", "found a pipe or a device"},
        Leaves{"rm 1/0.bin; mkfifo 1/0.npy", "found a pipe or a device"},
        Leaves{"ln -sf /dev/zero 1/0.bin", "found a pipe or a device"},
        Leaves{"ln -sf /dev/full outputs.json", "found a pipe or a device"},
        Leaves{"ln -s nothing 1/0.npy", "No such file"},
        Leaves{"ln -s outputs.json outputs.json", "Too many levels of symbolic links"},
        Leaves{"rm 1/0.bin; mkdir 1/0.bin", "cannot read"},
        Leaves{"mkdir 1/0.npy", "Is a directory"}, Leaves{"mkdir outputs.json", "Is a directory"},
        Leaves{"rm -r 1; echo > 1", "found no such file"},
        Leaves{"head -c 2000000 /dev/zero > outputs.json", "of at most 1048576 bytes"},
        Leaves{"printf '{\"outputs\":[\\0' > outputs.json", "outputs.json"},
        Leaves{"head -c 1000 /dev/zero > 1/0.bin", "expected 8 bytes"},
        Leaves{"printf 12345 > 1/0.bin", "expected 8 bytes"},
        Leaves{"head -c 3000000 /dev/zero > 1/0.npy", "of at most"},
        Leaves{"printf '\\223NUMPY\\1\\0v\\0' > 1/0.npy", "0.npy"}));

// So is a result that cannot be read, in each of three calls.
class SpoiltResultTest : public CommandRuntimeTest, public ::testing::WithParamInterface<Leaves> {};

TEST_P(SpoiltResultTest, IsARejection) {
  Script script;
  script.time += std::string("\nif grep -q other \"$HALFTONE_MODEL\"; then ") + GetParam().script +
                 "; exit 0; fi";
  const auto runtime = Make(script);
  const auto outcome = runtime->Time(*Built(*runtime, Plan(DType::kFloat16)), {.budget_s = 0});
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  EXPECT_THAT(std::get<Rejection>(outcome).reason, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SpoiltResultTest,
    ::testing::Values(Leaves{"mkfifo \"$HALFTONE_RESULT\"", "found a pipe or a device"},
                      Leaves{"mkdir \"$HALFTONE_RESULT\"", "Is a directory"},
                      Leaves{"ln -s /dev/zero \"$HALFTONE_RESULT\"", "found a pipe or a device"},
                      Leaves{"head -c 70000000 /dev/zero > \"$HALFTONE_RESULT\"", "of at most"},
                      Leaves{"printf '{\\0}' > \"$HALFTONE_RESULT\"", "{result}"},
                      Leaves{"echo nothing", "expected a line that begins with {"}));

// A machine that spoils the files of float32, too, is no fault of a candidate.
TEST_F(CommandRuntimeTest, ResultsThatAreAllSpoiltAreAnError) {
  Script script;
  script.time += "\nmkdir \"$HALFTONE_RESULT\"; exit 0";
  const auto runtime = Make(script);
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  EXPECT_THAT(MessageOf(ErrorKind::kUnsupported, [&] { runtime->Time(*plan, {}); }),
              HasSubstr("--measure=command: "));
}

// Those of a later call would take the place of these.
TEST_F(CommandRuntimeTest, OutputsInTheWorkFolderAreTakenOut) {
  Script script;
  script.run = R"(rm -rf out; mkdir out; for d in "$HALFTONE_INPUTS"/*/; do
      s=$(basename "$d"); mkdir -p "out/$s"
      if grep -q _damaged "$HALFTONE_MODEL"; then head -c 8 /dev/zero > "out/$s/0.bin"
      else cp "$d/0.bin" "out/$s/0.bin"; fi; done)";
  script.more = R"("outputs":"out")";
  const auto runtime = Make(script);
  EXPECT_EQ(runtime->SelfTest().size(), 1U);
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  runtime->Time(*plan, {.budget_s = 0});
  runtime->Time(*plan, {.budget_s = 0});  // one sample
  NewCalls();
  EXPECT_THAT(Outputs(*runtime, *plan, samples_), ElementsAre(1, 2, 3));
  EXPECT_THAT(NewCalls(), ElementsAre());
}

// Candidates that do not run.

TEST_F(CommandRuntimeTest, AnInvalidCandidate) {
  Script script;
  script.check = R"(if grep -q other "$HALFTONE_MODEL"; then echo 'no kernel' >&2; exit 3; fi)";
  const auto runtime = Make(script);
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  EXPECT_EQ(std::get<Rejection>(runtime->Time(*plan, {})).reason, "'no kernel'");
}

TEST_F(CommandRuntimeTest, ACandidateThatFailsThreeTimesStopsTheSearch) {
  Script script;
  script.check = R"(if grep -q other "$HALFTONE_MODEL"; then echo 'lost' >&2; exit 1; fi)";
  const auto runtime = Make(script);
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  EXPECT_EQ(MessageOf(ErrorKind::kUnsupported, [&] { runtime->Time(*plan, {}); }),
            "--measure=command: 3 calls in a row failed, of a candidate: the command ended with "
            "exit status 1: 'lost'");
}

// Tools have one exit status for all: float32 says whether the machine is well.
TEST_F(CommandRuntimeTest, ToolsThatCannotSayInvalid) {
  const std::string tool =
      R"(echo '[{{"computeMs":2}]' > "$1"; if grep -q other "$2"; then echo no kernel; exit 1; fi)";
  const std::string tail = " x {result} {model}";
  const auto runtime = Make("sh -c " + ShellWord(tool) + tail, "trtexec:{result}");
  const auto plan = Built(*runtime, Plan(DType::kFloat16));
  EXPECT_FALSE(all_);
  EXPECT_EQ(std::get<Rejection>(runtime->Time(*plan, {})).reason,
            "the command ended with exit status 1: 'no kernel'");
  const auto lost = Make("sh -c 'exit 1' x {model}", "trtexec:{result}");
  const auto other = Built(*lost, Plan(DType::kFloat16));
  EXPECT_THAT(MessageOf(ErrorKind::kUnsupported, [&] { lost->Time(*other, {}); }),
              HasSubstr("3 calls in a row failed"));
}

// Work folders.

TEST_F(CommandRuntimeTest, EnginesStayInTheCache) {
  cache_ = folder_.path() / "cache";
  Script script;
  script.check = R"(if [ -e engine ]; then echo kept; else echo built; fi >> )" +
                 ShellWord((folder_.path() / "engines").string());
  script.time = "echo > engine; t=2";
  const auto time = [&](const Script& with) {
    const auto runtime = Make(with);
    const auto plan = Built(*runtime, Plan(DType::kFloat16));
    runtime->Run(*plan, samples_, [](std::size_t, const std::vector<Tensor>&) { return true; });
    const std::string said = ReadFile(folder_.path() / "engines");
    std::filesystem::remove(folder_.path() / "engines");
    return said;
  };
  EXPECT_EQ(time(script), "built\n");
  EXPECT_EQ(time(script), "kept\n");
  Script other = script;
  other.more += R"(,"x":1)";
  EXPECT_EQ(time(other), "built\n");  // another command
  cache_.clear();
  EXPECT_EQ(time(script), "built\n");
}

TEST_F(CommandRuntimeTest, SequencesAreRefused) {
  samples_.steps_each = 2;
  EXPECT_EQ(MessageOf(ErrorKind::kUnsupported, [&] { Make(Script()); }),
            "--measure=command: sequences (--state) cannot be handed to a command; give single "
            "samples");
}

}  // namespace
}  // namespace halftone
