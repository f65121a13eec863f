// Programs are those of every POSIX system; nothing here looks at how long they take.
#include "src/base/run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"

namespace halftone {
namespace {

using ::testing::AnyOf;

constexpr double kPlenty = 600;  // seconds; nothing here takes as long

ProgramResult Shell(const std::string& script, double timeout_s = kPlenty) {
  return RunProgram({"/bin/sh", "-c", script}, timeout_s);
}

TEST(RunProgramTest, ReadsBothStreamsAndTheExitCode) {
  const ProgramResult result = Shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.timed_out);
}

// The file system would take `;` and `$` as they are; a shell would not.
TEST(RunProgramTest, WordsAreNoShell) {
  const ProgramResult result = RunProgram({"echo", "a; echo b", "$HOME", "*", "'"}, kPlenty);
  EXPECT_EQ(result.out, "a; echo b $HOME * '\n");
}

TEST(RunProgramTest, StandardInputIsEmpty) {
  EXPECT_EQ(RunProgram({"cat"}, kPlenty).out, "");
}

TEST(RunProgramTest, MoreThanAPipeHolds) {
  const ProgramResult result = Shell(
      "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789 >&2; "
      "echo 0123456789012345678901234567890123456789; i=$((i+1)); done");
  EXPECT_EQ(result.out.size(), 3000U * 41U);
  EXPECT_EQ(result.err.size(), 3000U * 41U);
}

TEST(RunProgramTest, ASignalIsAnExitCode) {
  EXPECT_EQ(Shell("kill -TERM $$").exit_code, 128 + SIGTERM);
}

TEST(RunProgramTest, StopsWhatTakesTooLongWithAllThatItStarted) {
  const ProgramResult result = Shell("echo begun; sleep 1000 & sleep 1000", 0.2);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
}

// A program that fills a pipe which nobody reads ended with complaints when we ignored SIGPIPE.
TEST(RunProgramTest, AProgramEndsQuietlyWhereNobodyReadsIt) {
  std::signal(SIGPIPE, SIG_IGN);
  const ProgramResult result = Shell("yes | head -n 1");
  std::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(result.out, "y\n");
  EXPECT_EQ(result.err, "");
}

TEST(RunProgramTest, DoesNotWaitForWhatKeepsThePipesOpen) {
  const ProgramResult result = Shell("sleep 1000 & echo done");
  EXPECT_EQ(result.out, "done\n");
  EXPECT_FALSE(result.timed_out);
}

ProgramResult ShellWith(const std::string& script, const ProgramOptions& options) {
  return RunProgram({"/bin/sh", "-c", script}, options);
}

TEST(RunProgramTest, WordsOfTheEnvironmentReplaceThoseOfTheSameName) {
  ::setenv("HALFTONE_TEST_A", "old", 1);
  ::setenv("HALFTONE_TEST_AB", "kept", 1);
  const ProgramResult result =
      ShellWith("echo $HALFTONE_TEST_A $HALFTONE_TEST_AB $HALFTONE_TEST_B",
                {.environment = {"HALFTONE_TEST_A=new", "HALFTONE_TEST_B=b"}});
  ::unsetenv("HALFTONE_TEST_A");
  ::unsetenv("HALFTONE_TEST_AB");
  EXPECT_EQ(result.out, "new kept b\n");
}

TEST(RunProgramTest, VariablesMayBeHidden) {
  ::setenv("HALFTONE_TEST_A", "a", 1);
  ::setenv("HALFTONE_TEST_B", "b", 1);
  const ProgramResult result =
      ShellWith("echo ${HALFTONE_TEST_A-none} ${HALFTONE_TEST_B-none} ${HALFTONE_TEST_C-none}",
                {.environment = {"HALFTONE_TEST_C=c"}, .hides_variable = [](std::string_view name) {
                   return name == "HALFTONE_TEST_A" || name == "HALFTONE_TEST_C";
                 }});
  ::unsetenv("HALFTONE_TEST_A");
  ::unsetenv("HALFTONE_TEST_B");
  EXPECT_EQ(result.out, "none b c\n");
}

TEST(RunProgramTest, StartsInAFolder) {
  EXPECT_EQ(ShellWith("pwd", {.folder = "/usr"}).out, "/usr\n");
}

TEST(RunProgramTest, KeepsTheBeginOrTheEndOfAStream) {
  const std::string script = "printf 0123456789; printf abcdefghij >&2";
  EXPECT_EQ(ShellWith(script, {.most_bytes = 3}).out, "012");
  const ProgramResult result = ShellWith(script, {.most_bytes = 3, .keep_end = true});
  EXPECT_EQ(result.out, "789");
  EXPECT_EQ(result.err, "hij");
  EXPECT_EQ(ShellWith("i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done",
                      {.most_bytes = 10, .keep_end = true})
                .out,
            "2998\n2999\n");
}

TEST(RunProgramTest, ALogGetsBothStreamsBehindWhatItHolds) {
  const TemporaryFolder folder("a test");
  folder.Write("log", "before\n");
  const ProgramResult result =
      ShellWith("echo out; echo error >&2",
                {.log = folder.path() / "log", .most_bytes = 3, .keep_end = true});
  EXPECT_THAT(ReadFile(folder.path() / "log"),
              AnyOf("before\nout\nerror\n", "before\nerror\nout\n"));
  EXPECT_EQ(result.out, "ut\n");
  EXPECT_EQ(result.err, "or\n");
  EXPECT_EQ(result.log_error, "");
}

// The program goes on only when it finds its own words in the log.
TEST(RunProgramTest, ALogIsWrittenWhileTheProgramRuns) {
  const TemporaryFolder folder("a test");
  const std::string log = (folder.path() / "log").string();
  const ProgramResult result =
      ShellWith("echo begun; until grep -q begun '" + log + "'; do sleep 0.01; done",
                {.timeout_s = kPlenty, .log = log});
  EXPECT_EQ(result.exit_code, 0);
}

TEST(RunProgramTest, ALogThatCannotBeWritten) {
  const ProgramResult full = ShellWith("echo out; exit 3", {.log = "/dev/full"});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_EQ(full.out, "out\n");
  EXPECT_EQ(full.log_error, "No space left on device");
  try {
    ShellWith("exit 0", {.log = "/no/such/folder/log"});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
    EXPECT_STREQ(error.what(), "cannot append to '/no/such/folder/log': No such file or directory");
  }
}

TEST(RunProgramTest, MayEndByItselfBeforeItIsKilled) {
  const ProgramResult result =
      ShellWith("trap 'echo bye; exit 7' TERM; while :; do sleep 0.01; done",
                {.timeout_s = 0.2, .grace_s = kPlenty});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.out, "bye\n");
}

TEST(RunProgramTest, IsKilledWhenItIgnoresTheSignal) {
  const ProgramResult result =
      ShellWith("trap '' TERM; while :; do sleep 0.01; done", {.timeout_s = 0.1, .grace_s = 0.1});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(RunProgramTest, AStopEndsIt) {
  int asked = 0;
  const ProgramResult result = ShellWith(
      "sleep 1000", {.timeout_s = kPlenty, .stop_requested = [&] { return ++asked == 2; }});
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(RunProgramTest, WhatItLeavesBehindPrintsNoMore) {
  const ProgramResult result =
      ShellWith("(while :; do echo more; done) & sleep 0.1; echo done", {.keep_end = true});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0);
}

TEST(RunProgramTest, ProgramsThatCannotBeStarted) {
  const auto message = [](const std::string& program) -> std::string {
    try {
      RunProgram({program}, kPlenty);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("/no/such/program"),
            "'/no/such/program' cannot be started: No such file or directory");
  EXPECT_EQ(message("no_such_program_in_the_path"),
            "'no_such_program_in_the_path' cannot be started: No such file or directory");
  EXPECT_EQ(message("/"), "'/' cannot be started: Permission denied");
}

}  // namespace
}  // namespace halftone
