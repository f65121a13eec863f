#include "src/base/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "src/base/end_with_parent.h"
#include "src/base/error.h"
#include "src/base/file_descriptor.h"

namespace halftone {
namespace {

constexpr int kLookMs = 20;  // how often the end of the program is looked for
// Reads of 16 KiB after its end: a pipe holds 1 MiB at most, unless what it started goes on
// writing.
constexpr int kMostLooksAfter = 128;

// Both ends are closed with it, and in programs that are started.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) {
      throw Error(ErrorKind::kIo, fmt::format("no pipe for a program: {}", std::strerror(errno)));
    }
  }

  ~Pipe() {
    ::close(ends_[0]);
    CloseWriteEnd();
  }

  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }

  [[nodiscard]] int write_end() const { return ends_[1]; }

  void CloseWriteEnd() {
    if (ends_[1] >= 0) {
      ::close(ends_[1]);
      ends_[1] = -1;
    }
  }

 private:
  int ends_[2] = {-1, -1};
};

// Environment of a program: that of this process without what is hidden, and with words of the
// options in place of those of the same name.
std::vector<std::string> EnvironmentOf(const ProgramOptions& options) {
  const auto name_of = [](std::string_view word) { return word.substr(0, word.find('=')); };
  std::vector<std::string> words = options.environment;
  if (options.end_with_parent) {
    words.push_back(ParentWord());
  }
  const std::vector<std::string> added = words;
  for (char** word = environ; word != nullptr && *word != nullptr; ++word) {
    const std::string_view name = name_of(*word);
    const bool hidden = options.hides_variable && options.hides_variable(name);
    if (!hidden && std::ranges::none_of(
                       added, [&](const std::string& other) { return name_of(other) == name; })) {
      words.emplace_back(*word);
    }
  }
  return words;
}

std::vector<char*> PointersTo(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));  // NOLINT: the interface predates const
  }
  pointers.push_back(nullptr);
  return pointers;
}

pid_t Start(const std::vector<std::string>& words, const ProgramOptions& options, const Pipe& out,
            const Pipe& err) {
  const std::vector<char*> argv = PointersTo(words);
  const std::vector<std::string> environment = EnvironmentOf(options);
  const std::vector<char*> envp = PointersTo(environment);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.write_end(), STDERR_FILENO);
  if (!options.folder.empty()) {
    posix_spawn_file_actions_addchdir_np(&files, options.folder.c_str());
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Ours ignores it; a program that others wrote expects to end where nobody reads it.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' cannot be started: {}", words.front(), std::strerror(error)));
  }
  return pid;
}

// The log of a program, or none.
class Log {
 public:
  // Error kIo: it cannot be opened.
  explicit Log(const std::filesystem::path& path) {
    if (path.empty()) {
      return;
    }
    file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (file_.get() < 0) {
      ThrowIo("append to", path, errno);
    }
  }

  void Append(std::string_view text) {
    if (file_.get() >= 0 && error_ == 0) {
      error_ = WriteAll(file_.get(), text);
    }
  }

  // Empty: all was written.
  [[nodiscard]] std::string ErrorText() const { return error_ != 0 ? std::strerror(error_) : ""; }

 private:
  FileDescriptor file_{-1};
  int error_ = 0;
};

// A stream of a program, of which the begin or the end is kept.
class KeptText {
 public:
  explicit KeptText(const ProgramOptions& options)
      : most_(options.most_bytes), keep_end_(options.keep_end) {}

  // Takes what is there. False: there will be no more.
  bool Take(int descriptor, Log& log) {
    char buffer[16384];
    const ssize_t count = ::read(descriptor, buffer, sizeof(buffer));
    if (count <= 0) {
      return count < 0 && (errno == EINTR || errno == EAGAIN);
    }
    const auto bytes = static_cast<std::size_t>(count);
    log.Append({buffer, bytes});
    const std::size_t room = keep_end_ ? bytes : most_ - std::min(most_, text_.size());
    text_.append(buffer, std::min(room, bytes));
    if (text_.size() > 2 * most_) {
      Trim();
    }
    return true;
  }

  std::string Finish() {
    Trim();
    return std::move(text_);
  }

 private:
  void Trim() { text_.erase(0, text_.size() - std::min(text_.size(), most_)); }

  std::size_t most_;
  bool keep_end_;
  std::string text_;
};

// A program that runs, as a process group.
class Running {
 public:
  Running(pid_t pid, const ProgramOptions& options) : pid_(pid), options_(options) {}

  [[nodiscard]] bool has_ended() const { return ended_; }

  // Looks whether it has ended, and tells it to where it is time.
  void Look(ProgramResult& result) {
    siginfo_t info{};
    if (ended_ ||
        (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_)) {
      Reap(result);
      return;
    }
    const double now_s = Seconds();
    if (!told_) {
      result.stopped = options_.stop_requested && options_.stop_requested();
      result.timed_out = !result.stopped && now_s >= options_.timeout_s;
      told_ = result.stopped || result.timed_out;
      kill_at_s_ = now_s + options_.grace_s;
      if (told_ && options_.grace_s > 0) {
        ::kill(-pid_, SIGTERM);
      }
    }
    if (told_ && now_s >= kill_at_s_) {
      ::kill(-pid_, SIGKILL);
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
      Reap(result);
    }
  }

 private:
  [[nodiscard]] double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  // The group is killed before its number may become that of another.
  void Reap(ProgramResult& result) {
    if (ended_) {
      return;
    }
    ended_ = true;
    result.seconds = Seconds();
    if (told_ || options_.kill_remaining) {
      ::kill(-pid_, SIGKILL);
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result.exit_code = result.signal != 0 ? 128 + result.signal : WEXITSTATUS(status);
  }

  pid_t pid_;
  const ProgramOptions& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool told_ = false;
  bool ended_ = false;
  double kill_at_s_ = 0;
};

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& words, const ProgramOptions& options) {
  Check(!words.empty(), "a program without a name");
  Log log(options.log);
  Pipe out;
  Pipe err;
  Running program(Start(words, options, out, err), options);
  out.CloseWriteEnd();
  err.CloseWriteEnd();
  ProgramResult result;
  pollfd ends[2] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
  KeptText texts[2] = {KeptText(options), KeptText(options)};
  int looks_after = 0;
  while (true) {
    const int ready = ::poll(ends, 2, program.has_ended() ? 0 : kLookMs);
    for (int i = 0; ready > 0 && i < 2; ++i) {
      if (ends[i].revents != 0 && !texts[i].Take(ends[i].fd, log)) {
        ends[i].fd = -1;
      }
    }
    if (ready <= 0 && program.has_ended()) {
      break;  // what it started may hold the pipes open, but says no more that counts
    }
    program.Look(result);
    if (program.has_ended() &&
        ((ends[0].fd < 0 && ends[1].fd < 0) || ++looks_after == kMostLooksAfter)) {
      break;
    }
  }
  result.out = texts[0].Finish();
  result.err = texts[1].Finish();
  result.log_error = log.ErrorText();
  return result;
}

ProgramResult RunProgram(const std::vector<std::string>& words, double timeout_s) {
  return RunProgram(words, ProgramOptions{.timeout_s = timeout_s});
}

int RunInPlace(const std::vector<std::string>& words, const std::function<bool()>& stop_requested) {
  const std::vector<char*> argv = PointersTo(words);
  const std::vector<std::string> environment = EnvironmentOf({.end_with_parent = true});
  const std::vector<char*> envp = PointersTo(environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), envp.data());
  if (error != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' cannot be started: {}", words.front(), std::strerror(error)));
  }
  int status = 0;
  bool told = false;
  while (true) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) {
      break;
    }
    if (ended < 0 && errno == ECHILD) {
      throw Error(ErrorKind::kIo, fmt::format("how '{}' ended is not known: this process has no "
                                              "children, as SIGCHLD is ignored",
                                              words.front()));
    }
    if (!told && stop_requested()) {
      ::kill(pid, SIGTERM);
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace halftone
