// Programs of the user while halftone is stopped: none is left, nor a temporary folder, and the
// exit code says that it was stopped. The programs write their numbers; the tests wait for the ends
// of these (pidfd), and for no clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "src/base/file.h"
#include "src/base/file_descriptor.h"
#include "src/base/temporary_folder.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::Digits;
using ::testing::HasSubstr;
using testing::ProcessResult;

void WaitUntil(const std::function<bool()>& is_so) {
  while (!is_so()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool HasEnded(pid_t pid) {
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd ready = {process.get(), POLLIN, 0};
  return process.get() < 0 || ::poll(&ready, 1, 0) == 1;
}

class StopProgramsTest : public ::testing::Test {
 protected:
  StopProgramsTest() {
    fs::create_directory(Path("tmp"));
    // Without an end, with a child of another session that hears no signal. The calls before
    // `calls` come back at once.
    testing::WriteScript(Path("program"),
                         "echo >> " + Path("calls") + "\n[ $(wc -l < " + Path("calls") +
                             ") -gt $CALLS_BEFORE ] || exec " + Path("answer") +
                             "\nsetsid sh -c 'trap \"\" TERM HUP INT; echo $$ > " + Path("child") +
                             "; mv " + Path("child") + " " + Path("child.pid") +
                             "; while :; do sleep 1000; done' &\necho $$ > " + Path("self") +
                             "\nmv " + Path("self") + " " + Path("self.pid") +
                             "\nwhile :; do sleep 1000; done\n");
    testing::WriteScript(Path("answer"), "echo 0.5\n");
  }

  ~StopProgramsTest() override {
    for (const pid_t pid : Programs()) {
      if (!HasEnded(pid)) {
        ::kill(pid, SIGKILL);
      }
    }
  }

  [[nodiscard]] std::string Path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  [[nodiscard]] std::vector<pid_t> Programs() const {
    std::vector<pid_t> pids;
    for (const char* name : {"child.pid", "self.pid"}) {
      if (fs::exists(Path(name))) {
        pids.push_back(std::stoi(ReadFile(Path(name))));
      }
    }
    return pids;
  }

  // Runs `halftone tune`, and sends the signals one after the other once the program runs. 128 +
  // the signal that ended it, or its exit code.
  int Stop(const std::vector<std::string>& options, const std::vector<int>& signals,
           int calls_before = 0) {
    std::vector<std::string> words = {HALFTONE_BINARY,
                                      "tune",
                                      "--model=" + Digits("model.onnx"),
                                      "--inputs=" + Digits("search_inputs.npy"),
                                      "--max_samples=2",
                                      "--threads=1",
                                      "--no_bank",
                                      "--operator_tuning=off",
                                      "--quantize=off"};
    words.insert(words.end(), options.begin(), options.end());
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setenv("TMPDIR", Path("tmp").c_str(), 1);
      ::setenv("CALLS_BEFORE", std::to_string(calls_before).c_str(), 1);
      ::setenv("HALFTONE_LATENCY_BUDGET", "0.01", 1);
      std::vector<char*> argv;
      for (std::string& word : words) {
        argv.push_back(word.data());
      }
      argv.push_back(nullptr);
      static_cast<void>(!std::freopen(Path("out").c_str(), "w", stdout));
      static_cast<void>(!std::freopen(Path("err").c_str(), "w", stderr));
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    int status = 0;
    bool early = false;
    WaitUntil([&] {
      early = ::waitpid(pid, &status, WNOHANG) == pid;
      return early || Programs().size() == 2;
    });
    EXPECT_FALSE(early) << ReadFile(Path("err"));
    for (const int signal : signals) {
      // One signal that waits is not counted twice.
      WaitUntil([&] { return early || !IsPending(pid); });
      ::kill(pid, signal);
    }
    if (!early) {
      ::waitpid(pid, &status, 0);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  // Signals were sent that the process has not seen yet.
  static bool IsPending(pid_t pid) {
    const std::string status = ReadFile(StatusFile(pid));
    const std::size_t at = status.find("ShdPnd:\t");
    return at != std::string::npos && status.substr(at + 8, 16) != std::string(16, '0');
  }

  static std::string StatusFile(pid_t pid) { return "/proc/" + std::to_string(pid) + "/status"; }

  void ExpectNothingLeft() const {
    for (const pid_t pid : Programs()) {
      WaitUntil([&] { return HasEnded(pid); });
    }
    WaitUntil([this] { return fs::is_empty(Path("tmp")); });
  }

  [[nodiscard]] std::vector<std::string> Metric() const {
    return {"--metric=command:" + Path("program"), "--metric_better=higher"};
  }

  [[nodiscard]] std::vector<std::string> Command() const {
    return {"--measure=command:" + Path("program"), "--measure_format=number"};
  }

  TemporaryFolder folder_{"a test"};
};

class StopSignalTest : public StopProgramsTest, public ::testing::WithParamInterface<int> {};

TEST_P(StopSignalTest, InAMetricOfFloat32) {
  EXPECT_EQ(Stop(Metric(), {GetParam()}), 130);
  EXPECT_THAT(ReadFile(Path("err")), HasSubstr("interrupted: "));
  ExpectNothingLeft();
}

TEST_P(StopSignalTest, InAMetricOfACandidate) {
  EXPECT_EQ(Stop(Metric(), {GetParam()}, 2), 130);
  ExpectNothingLeft();
}

TEST_P(StopSignalTest, InASelfTest) {
  EXPECT_EQ(Stop(Command(), {GetParam()}), 130);
  EXPECT_THAT(ReadFile(Path("err")),
              HasSubstr("interrupted: --measure=command: stopped while the command ran"));
  ExpectNothingLeft();
}

// The first signal gives a measuring command seconds to end; this does not.
TEST_P(StopSignalTest, TheSecondEndsAtOnce) {
  EXPECT_EQ(Stop(Command(), {GetParam(), GetParam()}), 128 + GetParam());
  ExpectNothingLeft();
}

INSTANTIATE_TEST_SUITE_P(Signals, StopSignalTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(StopProgramsTest, Killed) {
  EXPECT_EQ(Stop(Metric(), {SIGKILL}), 128 + SIGKILL);
  ExpectNothingLeft();
}

// Nothing waits at a path that is a FIFO without a writer.
TEST_F(StopProgramsTest, PathsThatAreFifos) {
  ASSERT_EQ(::mkfifo(Path("fifo").c_str(), 0600), 0);
  const std::string model = "--model=" + Digits("model.onnx");
  const std::string inputs = "--inputs=" + Digits("search_inputs.npy");
  const std::string fifo = Path("fifo");
  const std::vector<std::vector<std::string>> commands = {
      {"run", "--model=" + fifo, inputs},
      {"run", model, "--inputs=" + fifo},
      {"run", model, inputs, "--labels=" + fifo},
      {"run", model, inputs, "--keep_dtype=" + fifo},
      {"run", model, inputs, "--modify_mixlist=" + fifo},
      {"run", model, inputs, "--fusion_switch_file=" + fifo},
      {"run", model, inputs, "--point=" + fifo},
      {"run", model, inputs, "--op_precision_mode=" + fifo},
      {"run", model, inputs, "--config=" + fifo},
      {"run", model, inputs, "--target_file=" + fifo},
      {"tune", model, inputs, "--no_bank", "--measure=ort:" + fifo},
      {"tune", model, inputs, "--no_bank", "--measure=command:" + fifo},
      {"tune", model, inputs, "--no_bank", "--metric=command:" + fifo, "--metric_better=higher"},
      {"tune", model, inputs, "--op_bank_path=" + fifo},
      {"tune", model, inputs, "--no_bank", "--heldout_inputs=" + fifo},
      {"retune", model, inputs, "--front=" + fifo},
      {"explain", model, "--ops_info=" + fifo, "--soc_version=Ascend310P3"},
      {"compare", fifo, fifo},
      {"fleet", "submit", "--dry_run", fifo},
      {"fleet", "status", fifo},
  };
  for (const std::vector<std::string>& words : commands) {
    const ProcessResult result = testing::Halftone(words);
    EXPECT_TRUE(result.exit_code == 1 || result.exit_code == 2)
        << words.front() << " " << words.back() << ": " << result.exit_code << "\n"
        << result.err;
    EXPECT_THAT(result.err, HasSubstr("error: ")) << words.back();
  }
}

}  // namespace
}  // namespace halftone
