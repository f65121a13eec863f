// What a program started ends with it, and it ends with this process. The programs write the
// numbers of their processes; the tests wait for the ends of these (pidfd), and for no clock.
#include "src/base/supervised_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"
#include "src/base/run_program.h"
#include "src/base/temporary_folder.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

void WaitUntil(const std::function<bool()>& is_so) {
  while (!is_so()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// The process has ended, even where nobody waits for it.
bool HasEnded(pid_t pid) {
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd ready = {process.get(), POLLIN, 0};
  return process.get() < 0 || ::poll(&ready, 1, 0) == 1;
}

class SupervisedProgramTest : public ::testing::Test {
 protected:
  // What a failing test leaves.
  ~SupervisedProgramTest() override {
    for (const pid_t pid : Written()) {
      if (!HasEnded(pid)) {
        ::kill(pid, SIGKILL);
      }
    }
  }

  // Shell words: a process that writes its number to `name`, here, and then stays.
  [[nodiscard]] std::string Stays(const std::string& name) const {
    return "sh -c 'trap \"\" TERM HUP INT; echo $$ > " + Path(name) + ".part; mv " + Path(name) +
           ".part " + Path(name) + "; while :; do sleep 1000; done'";
  }

  // Shell words that wait until `name` is written.
  [[nodiscard]] std::string Until(const std::string& name) const {
    return "until [ -e " + Path(name) + " ]; do sleep 0.01; done";
  }

  [[nodiscard]] std::string Path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  // Numbers of the processes of Stays().
  [[nodiscard]] std::vector<pid_t> Written() const {
    std::vector<pid_t> pids;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".pid") {
        pids.push_back(std::atoi(ReadFile(entry.path()).c_str()));
      }
    }
    return pids;
  }

  void ExpectAllEnded(std::size_t count) const {
    const std::vector<pid_t> pids = Written();
    EXPECT_EQ(pids.size(), count);
    for (const pid_t pid : pids) {
      EXPECT_TRUE(HasEnded(pid)) << pid;
    }
  }

  // A child of its own session, and one whose parent ends: neither is in the group of the program.
  [[nodiscard]] std::string HidesChildren() const {
    return "setsid " + Stays("a.pid") + " & (setsid sh -c '" + Orphan() + "' &) ; " +
           Until("a.pid") + "; " + Until("b.pid");
  }

  // In single quotes.
  [[nodiscard]] std::string Orphan() const {
    return "echo $$ > " + Path("part") + "; mv " + Path("part") + " " + Path("b.pid") +
           "; while :; do sleep 1000; done";
  }

  TemporaryFolder folder_{"a test"};
};

TEST_F(SupervisedProgramTest, WhatHidesEndsWithTheProgram) {
  const ProgramResult result =
      RunProgram({"sh", "-c", HidesChildren() + "; echo done; exit 3"}, ProgramOptions{});
  EXPECT_EQ(result.out, "done\n");
  EXPECT_EQ(result.exit_code, 3);
  ExpectAllEnded(2);
}

TEST_F(SupervisedProgramTest, WhatHidesIsKilledAtTheTimeout) {
  ProgramOptions options;
  options.grace_s = 0.1;
  options.stop_requested = [this] { return Written().size() == 2; };
  const ProgramResult result = RunProgram({"sh", "-c", HidesChildren() + "; sleep 1000"}, options);
  EXPECT_TRUE(result.stopped);
  ExpectAllEnded(2);
}

TEST_F(SupervisedProgramTest, AnExceptionEndsIt) {
  ProgramOptions options;
  options.stop_requested = [this]() -> bool {
    if (Written().size() == 2) {
      throw std::runtime_error("of a caller");
    }
    return false;
  };
  EXPECT_THROW(RunProgram({"sh", "-c", HidesChildren() + "; sleep 1000"}, options),
               std::runtime_error);
  ExpectAllEnded(2);
}

TEST_F(SupervisedProgramTest, OutputOfAnEndThatIsAskedForCounts) {
  ProgramOptions options;
  options.grace_s = 600;
  options.stop_requested = [this] { return fs::exists(Path("begun")); };
  const ProgramResult result = RunProgram(
      {"sh", "-c",
       "trap 'echo bye; exit 7' TERM; echo > " + Path("begun") + "; while :; do sleep 0.01; done"},
      options);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out, "bye\n");
}

TEST_F(SupervisedProgramTest, ItHasASessionOfItsOwn) {
  const ProgramResult result =
      RunProgram({"sh", "-c", "cut -d' ' -f6 /proc/self/stat"}, ProgramOptions{});
  EXPECT_NE(std::atoi(result.out.c_str()), ::getsid(0));
  EXPECT_NE(std::atoi(result.out.c_str()), 0);
}

// Where children cannot be waited for, their ends are known all the same.
TEST_F(SupervisedProgramTest, IgnoredEndsOfChildren) {
  std::signal(SIGCHLD, SIG_IGN);
  const ProgramResult result = RunProgram({"sh", "-c", "exit 5"}, ProgramOptions{});
  const int in_place = RunInPlace({"sh", "-c", "exit 6"}, [] { return false; });
  std::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(in_place, 6);
}

TEST_F(SupervisedProgramTest, InPlaceItIsAskedToEnd) {
  const int exit_code =
      RunInPlace({"sh", "-c",
                  "trap 'exit 9' TERM; echo > " + Path("begun") + "; while :; do sleep 0.01; done"},
                 [this] { return fs::exists(Path("begun")); });
  EXPECT_EQ(exit_code, 9);
}

// A process that runs `body`, is ended by `signal` once two processes have written their numbers,
// and takes these and its temporary folder with it.
class ParentTest : public SupervisedProgramTest, public ::testing::WithParamInterface<int> {
 protected:
  void EndWhile(
      const std::function<void()>& body, const std::function<void()>& then = [] {}) {
    const pid_t parent = ::fork();
    if (parent == 0) {
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        std::signal(signal, SIG_DFL);
      }
      const TemporaryFolder temporary("a test");
      WriteFileAtomically(temporary.path() / "sub/file", "content");
      fs::create_symlink(temporary.path(), Path("temporary"));
      body();
      ::_exit(1);
    }
    WaitUntil([this] { return Written().size() == 2; });
    const fs::path temporary = fs::read_symlink(Path("temporary"));
    EXPECT_TRUE(fs::exists(temporary / "sub/file"));
    ::kill(parent, GetParam());
    int status = 0;
    ASSERT_EQ(::waitpid(parent, &status, 0), parent);
    EXPECT_TRUE(WIFSIGNALED(status));
    then();
    for (const pid_t pid : Written()) {
      WaitUntil([&] { return HasEnded(pid); });
    }
    WaitUntil([&] { return !fs::exists(temporary); });
  }
};

TEST_P(ParentTest, NothingOutlivesIt) {
  EndWhile([this] {
    RunProgram({"sh", "-c", HidesChildren() + "; sleep 1000"}, ProgramOptions{});
  });
}

TEST_P(ParentTest, NothingOutlivesItThatHasTimeToEnd) {
  ProgramOptions options;
  options.grace_s = 0.1;
  EndWhile([&] { RunProgram({"sh", "-c", HidesChildren() + "; sleep 1000"}, options); });
}

// The program is in the group of its parent, as one that reads and prints where that does.
TEST_P(ParentTest, AProgramInPlaceIsAskedToEndAndEnds) {
  EndWhile([this] {
    RunInPlace({"sh", "-c",
                "trap 'echo > " + Path("asked") + "; exit 0' TERM; " + HidesChildren() +
                    "; while :; do sleep 0.01; done"},
               [] { return false; });
  });
  EXPECT_TRUE(fs::exists(Path("asked")));
}

// A parent that is gone holds no lock, although the program that it started still ends.
TEST_P(ParentTest, ItsLocksAreFree) {
  ProgramOptions options;
  options.grace_s = 600;
  const auto is_free = [this] {
    try {
      const FileLock lock(Path("lock"));
      return true;
    } catch (const FileHeld&) {
      return false;
    }
  };
  EndWhile(
      [&] {
        const FileLock lock(Path("lock"));
        RunProgram({"sh", "-c",
                    "trap '" + Until("free") + "; exit 0' TERM; " + HidesChildren() +
                        "; while :; do sleep 0.01; done"},
                   options);
      },
      [&] {
        WaitUntil(is_free);
        WriteFileAtomically(Path("free"), "");
      });
}

INSTANTIATE_TEST_SUITE_P(Signals, ParentTest, ::testing::Values(SIGKILL, SIGTERM, SIGHUP, SIGINT));

}  // namespace
}  // namespace halftone
