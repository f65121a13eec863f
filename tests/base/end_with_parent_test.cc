// Three processes: the test, the program that it kills, and the child of that, which is this binary
// again. The child holds the write end of a pipe: the test reads its end, and waits for no clock.
#include "src/base/end_with_parent.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "src/base/run_program.h"

namespace halftone {
namespace {

constexpr const char* kPipe = "HALFTONE_TEST_PIPE";

// Part of the test below, in the child: says that it is ready, and waits for a signal.
TEST(EndWithParentTest, DISABLED_Child) {
  EndWithParent();
  EXPECT_EQ(std::getenv("HALFTONE_PARENT"), nullptr);
  const char* descriptor = std::getenv(kPipe);
  ASSERT_NE(descriptor, nullptr);
  ASSERT_EQ(::write(std::atoi(descriptor), "r", 1), 1);
  while (true) {
    ::pause();
  }
}

std::vector<std::string> Child() {
  return {std::filesystem::read_symlink("/proc/self/exe").string(),
          "--gtest_also_run_disabled_tests", "--gtest_filter=EndWithParentTest.DISABLED_Child"};
}

TEST(EndWithParentTest, AKilledParentTakesItsChildWithIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::close(ends[0]);
    RunProgram(Child(), {.environment = {std::string(kPipe) + "=" + std::to_string(ends[1])},
                         .end_with_parent = true});
    ::_exit(1);
  }
  ::close(ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1) << "the child did not start";
  ::kill(parent, SIGKILL);
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // waits until the child has ended, too
  int status = 0;
  ::waitpid(parent, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  ::close(ends[0]);
}

TEST(EndWithParentTest, EndsAtOnceWhereTheParentIsGoneAlready) {
  const ProgramResult result =
      RunProgram(Child(), {.environment = {"HALFTONE_PARENT=4194305", std::string(kPipe) + "=1"}});
  EXPECT_EQ(result.signal, SIGTERM);
}

TEST(EndWithParentTest, NothingHappensWithoutTheVariable) {
  ::unsetenv("HALFTONE_PARENT");
  EndWithParent();
  ::setenv("HALFTONE_PARENT", "no number", 1);
  EndWithParent();
  EXPECT_EQ(std::getenv("HALFTONE_PARENT"), nullptr);
}

}  // namespace
}  // namespace halftone
