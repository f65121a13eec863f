// Programs are those of every POSIX system; nothing here looks at how long they take.
#include "src/base/run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

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
  const ProgramResult result = Shell("sleep 5 & echo done");
  EXPECT_EQ(result.out, "done\n");
  EXPECT_FALSE(result.timed_out);
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
