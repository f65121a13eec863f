// Commands are scripts that play runtimes, good and bad; nothing here looks at how long they take.
#include "src/runtimes/command/run_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"
#include "src/base/shell_words.h"
#include "src/base/temporary_folder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGood = R"(echo '{"halftone_measure":1,"status":"ok","latency_ms":[2]}')";

class RunCommandTest : public ::testing::Test {
 protected:
  CommandOptions Shell(const std::string& script, const std::string& format = "halftone") {
    CommandOptions options = ParseCommandOptions("sh -c " + ShellWord(Braces(script)), format);
    options.grace_s = 0.2;
    return options;
  }

  // Braces of shell functions and JSON are no placeholders.
  static std::string Braces(const std::string& script) {
    std::string text;
    for (const char c : script) {
      text += c == '{' ? "{{" : std::string(1, c);
    }
    return text;
  }

  CommandCall Call() {
    CommandCall call;
    call[Placeholder::kModel] = "/m.onnx";
    call[Placeholder::kOutputs] = (folder_.path() / "outputs").string();
    call[Placeholder::kResult] = (folder_.path() / "result").string();
    call[Placeholder::kWork] = (folder_.path() / "work").string();
    call[Placeholder::kRole] = "candidate";
    return call;
  }

  std::variant<CommandRun, Rejection, CommandTrouble> Run(const std::string& script,
                                                          const std::string& format = "halftone") {
    return RunCommand(Shell(script, format), Call());
  }

  std::vector<double> Latencies(const std::string& script, const std::string& format = "halftone") {
    const auto outcome = Run(script, format);
    const auto* const run = std::get_if<CommandRun>(&outcome);
    EXPECT_NE(run, nullptr) << Reason(outcome);
    return run == nullptr ? std::vector<double>{} : run->answer.latencies_s;
  }

  static std::string Reason(const std::variant<CommandRun, Rejection, CommandTrouble>& outcome) {
    if (const auto* const rejection = std::get_if<Rejection>(&outcome)) {
      return "invalid: " + rejection->reason;
    }
    const auto* const trouble = std::get_if<CommandTrouble>(&outcome);
    return trouble == nullptr ? "ok" : "error: " + trouble->reason;
  }

  // Calls so far, of scripts that begin with kCount.
  [[nodiscard]] std::ptrdiff_t Calls() const {
    const std::string text = ReadFile(folder_.path() / "work/calls");
    return std::ranges::count(text, '\n');
  }

  static constexpr const char* kCount = "echo >> calls; ";

  TemporaryFolder folder_{"a test"};
};

TEST_F(RunCommandTest, TakesTheLastObjectOfStandardOutput) {
  EXPECT_THAT(Latencies(std::string("echo '{\"a\":1}'; ") + kGood + "; echo done"),
              ElementsAre(2e-3));
}

TEST_F(RunCommandTest, TheFileWinsOverStandardOutput) {
  EXPECT_THAT(Latencies(R"(echo '{"halftone_measure":1,"status":"ok",
"latency_ms":[7]}' > "$HALFTONE_RESULT"; )" +
                        std::string(kGood)),
              ElementsAre(7e-3));
}

TEST_F(RunCommandTest, AResultInTwoSteps) {
  EXPECT_THAT(Latencies(R"(printf '{"halftone_measure":1,"status":"ok",' > "$HALFTONE_RESULT"
sleep 0.1
echo '"latency_ms":[7]}' >> "$HALFTONE_RESULT")"),
              ElementsAre(7e-3));
}

TEST_F(RunCommandTest, TheResultOfAnEarlierCallIsGone) {
  folder_.Write("result", R"({"halftone_measure":1,"status":"ok","latency_ms":[7]})");
  CreateFolder(folder_.path() / "outputs");
  folder_.Write("outputs/old", "");
  EXPECT_THAT(Latencies(R"(test ! -e "$HALFTONE_OUTPUTS/old" && )" + std::string(kGood)),
              ElementsAre(2e-3));
}

TEST_F(RunCommandTest, TheEnvironmentAndTheFolderAreThoseOfTheContract) {
  const std::string script =
      "test $HALFTONE_MEASURE$LC_ALL$HALFTONE_ROLE$HALFTONE_MODEL = 1Ccandidate/m.onnx || exit 7\n"
      "test $(pwd) -ef $HALFTONE_WORK || exit 8\n"
      "cat > in; test ! -s in || exit 9\n";
  EXPECT_THAT(Latencies(script + kGood), ElementsAre(2e-3));
}

// What a shell would split or expand is one word.
TEST_F(RunCommandTest, NamesAreTakenAsTheyAre) {
  const std::string name = "/a b/'q'\"{runs}ü$(x).onnx";
  CommandCall call = Call();
  call[Placeholder::kModel] = name;
  const CommandOptions options =
      ParseCommandOptions("sh -c 'printf %s \"$1\" > got; echo 2' x --model={model}", "number");
  const auto outcome = RunCommand(options, call);
  EXPECT_EQ(Reason(outcome), "ok");
  EXPECT_EQ(ReadFile(folder_.path() / "work/got"), "--model=" + name);
}

TEST_F(RunCommandTest, InvalidPlansAreNotTriedAgain) {
  EXPECT_EQ(Reason(Run(kCount + std::string("echo 'E123: no kernel for Conv' >&2; exit 3"))),
            "invalid: 'E123: no kernel for Conv'");
  EXPECT_EQ(Calls(), 1);
  EXPECT_EQ(
      Reason(Run(R"(echo '{"halftone_measure":1,"status":"invalid","message":"no kernel"}')")),
      "invalid: no kernel");
  EXPECT_EQ(
      Reason(
          Run(R"(echo '{"halftone_measure":1,"status":"invalid","message":"no memory"}'; exit 3)")),
      "invalid: no memory");
}

TEST_F(RunCommandTest, ThreeErrorsInARow) {
  EXPECT_EQ(Reason(Run(kCount + std::string("echo lost the device >&2; exit 1"))),
            "error: the command ended with exit status 1: 'lost the device'");
  EXPECT_EQ(Calls(), kMostErrors);
}

TEST_F(RunCommandTest, AnErrorThatGoes) {
  EXPECT_THAT(Latencies(kCount + std::string("test $(wc -l < calls) -eq 3 || exit 1; ") + kGood),
              ElementsAre(2e-3));
}

TEST_F(RunCommandTest, WithoutRepetition) {
  CommandCall call = Call();
  call.repeat = false;
  RunCommand(Shell(kCount + std::string("exit 1")), call);
  EXPECT_EQ(Calls(), 1);
}

TEST_F(RunCommandTest, ASignalIsAnError) {
  EXPECT_EQ(Reason(Run("kill -SEGV $$")),
            "error: the command ended with signal 11: it printed nothing");
}

TEST_F(RunCommandTest, NoResultIsAnError) {
  EXPECT_EQ(Reason(Run("echo built")),
            "error: standard output: expected a line that begins with {, or the file "
            "$HALFTONE_RESULT (docs/guide/measuring_elsewhere.md); the last line that the command "
            "printed: "
            "'built'");
  EXPECT_THAT(Reason(Run(R"(echo '{"halftone_measure":1,"status":"ok","latency_ms":[]}')")),
              HasSubstr("error: standard output: expected one latency or more"));
  EXPECT_THAT(Reason(Run(R"(echo '{"halftone_measure":1,"status":"ok","latency_ms":[NaN]}')")),
              HasSubstr("error: standard output:1:"));
  EXPECT_THAT(Reason(Run(R"(printf '{"halftone_measure":1,' > "$HALFTONE_RESULT")")),
              HasSubstr("error: {result}:1:"));
  EXPECT_THAT(Reason(Run(R"(mkdir "$HALFTONE_RESULT")")), HasSubstr("error: "));
  EXPECT_EQ(Reason(Run(R"(echo '{"halftone_measure":1,"status":"error","message":"hot"}')")),
            "error: hot");
}

TEST_F(RunCommandTest, ATimeoutIsInvalidAfterOneRepetition) {
  CommandOptions options = Shell(kCount + std::string("sleep 1000"));
  options.timeout_s = 0.3;
  EXPECT_EQ(Reason(RunCommand(options, Call())),
            "invalid: timeout: the command took longer than 0.3 s (--measure_timeout)");
  EXPECT_EQ(Calls(), 2);
}

// Neither SIGTERM nor the end of the shell stops the child; the group is killed.
TEST_F(RunCommandTest, AChildThatIgnoresTheSignal) {
  CommandOptions options =
      Shell("(trap '' TERM; while :; do echo >> alive; sleep 0.05; done) & wait");
  options.timeout_s = 0.3;
  EXPECT_THAT(Reason(RunCommand(options, Call())), HasSubstr("invalid: timeout"));
  const std::string before = ReadFile(folder_.path() / "work/alive");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(ReadFile(folder_.path() / "work/alive"), before);
}

TEST_F(RunCommandTest, AHundredMegabytesOfOutput) {
  EXPECT_THAT(Latencies("head -c 100000000 /dev/zero; echo; " + std::string(kGood)),
              ElementsAre(2e-3));
}

TEST_F(RunCommandTest, TheLastOutputIsKept) {
  CommandCall call = Call();
  call.log = folder_.path() / "log";
  RunCommand(Shell("head -c 200000 /dev/zero | tr '\\0' x; echo words >&2; exit 3"), call);
  const std::string log = ReadFile(call.log);
  EXPECT_LT(log.size(), 70000U);
  EXPECT_THAT(log, HasSubstr("\nstandard error:\nwords\n"));
}

TEST_F(RunCommandTest, AStopEndsTheCommandAndItsChildren) {
  CommandOptions options = Shell("(while :; do echo >> alive; sleep 0.05; done) & sleep 1000");
  options.stop_requested = [&] { return std::filesystem::exists(folder_.path() / "work/alive"); };
  try {
    RunCommand(options, Call());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(), "--measure=command: stopped while the command ran");
  }
  const std::string before = ReadFile(folder_.path() / "work/alive");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(ReadFile(folder_.path() / "work/alive"), before);
}

TEST_F(RunCommandTest, WaitsForTheLockOfAnotherProcess) {
  CommandCall call = Call();
  call.lock = folder_.path() / "lock";
  auto held = std::make_unique<FileLock>(call.lock);
  CommandOptions options = Shell(kGood);
  int asked = 0;
  options.stop_requested = [&] {
    if (++asked == 3) {
      held = nullptr;
    }
    return false;
  };
  EXPECT_EQ(Reason(RunCommand(options, call)), "ok");
  EXPECT_GE(asked, 3);
}

// A path that looks as if it stayed in {work}.
TEST_F(RunCommandTest, AResultBehindALinkIsNotDeleted) {
  CreateFolder(folder_.path() / "work");
  folder_.Write("victim.json", "precious");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "work/sub");
  try {
    Run("exit 0", "trtexec:sub/victim.json");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("got 'sub/victim.json', which is '"));
  }
  EXPECT_EQ(ReadFile(folder_.path() / "victim.json"), "precious");
}

TEST_F(RunCommandTest, AResultThatIsALinkGoesAlone) {
  CreateFolder(folder_.path() / "work");
  folder_.Write("victim.json", R"([{"computeMs":9}])");
  std::filesystem::create_symlink(folder_.path() / "victim.json", folder_.path() / "work/t.json");
  EXPECT_THAT(Reason(Run("exit 0", "trtexec:t.json")), HasSubstr("error: "));
  EXPECT_EQ(ReadFile(folder_.path() / "victim.json"), R"([{"computeMs":9}])");
}

TEST_F(RunCommandTest, ToolsHaveNoStatusForInvalid) {
  EXPECT_THAT(Reason(Run("echo lost >&2; exit 3", "benchmark_app:{{result}")),
              HasSubstr("error: "));
  EXPECT_THAT(Latencies(R"(echo '[{"computeMs":1.5}]' > "$HALFTONE_RESULT")", "trtexec:{result}"),
              ElementsAre(1.5e-3));
  EXPECT_THAT(Latencies(R"(mkdir -p r; echo '[{"computeMs":1.5}]' > r/t.json)", "trtexec:r/t.json"),
              ElementsAre(1.5e-3));
  EXPECT_THAT(Reason(Run("true", "trtexec:r/t.json")), HasSubstr("error: "));  // that is gone
}

TEST_F(RunCommandTest, AFolderInPlaceOfTheFileOfAToolStays) {
  CreateFolder(folder_.path() / "work/precious");
  folder_.Write("work/precious/file", "kept");
  EXPECT_THAT(Reason(Run("true", "trtexec:precious")), HasSubstr("error: "));
  EXPECT_EQ(ReadFile(folder_.path() / "work/precious/file"), "kept");
}

TEST_F(RunCommandTest, ProgramsThatCannotBeStarted) {
  try {
    RunCommand(ParseCommandOptions("/no/such/program"), Call());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "--measure=command: '/no/such/program' cannot be started: No such file or "
                 "directory");
  }
}

}  // namespace
}  // namespace halftone
