// A body in a process of its own: how it ends, and how it is ended.
#include "src/runtimes/onnxruntime/try_apart.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(TryApartTest, TellsTheSignalThatEndedTheCopy) {
  EXPECT_EQ(SignalOfCopy([] { ::raise(SIGABRT); }), SIGABRT);
  EXPECT_EQ(SignalOfCopy([] {}), 0);
  EXPECT_EQ(SignalOfCopy([] { throw Error(ErrorKind::kModel, "no"); }), 0);
  int asked = 0;
  const auto goes_on = [&] {
    ++asked;
    return false;
  };
  // Without the handler of a sanitizer.
  const auto crash = [] {
    std::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
  };
  EXPECT_EQ(SignalOfCopy(crash, goes_on), SIGSEGV);
}

// The load of a plan may take two minutes: a stop does not wait for it.
TEST(TryApartTest, AStopEndsTheCopy) {
  int asked = 0;
  EXPECT_THROW(SignalOfCopy(
                   [] {
                     while (true) {
                       ::pause();
                     }
                   },
                   [&] { return ++asked > 2; }),
               StoppedByUser);
  EXPECT_EQ(asked, 3) << "it is not asked again";
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace halftone
