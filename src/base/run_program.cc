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

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr int kLookMs = 20;  // how often the end of the program is looked for

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

pid_t Start(const std::vector<std::string>& words, const Pipe& out, const Pipe& err) {
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: the interface is older than const
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.write_end(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Ours ignores it; a program that others wrote expects to end where nobody reads it.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' cannot be started: {}", words.front(), std::strerror(error)));
  }
  return pid;
}

// Takes what is there. False: there will be no more.
bool Take(int descriptor, std::string& text) {
  char buffer[4096];
  const ssize_t count = ::read(descriptor, buffer, sizeof(buffer));
  if (count <= 0) {
    return count < 0 && (errno == EINTR || errno == EAGAIN);
  }
  const std::size_t room = kMostBytes - std::min(kMostBytes, text.size());
  text.append(buffer, std::min(room, static_cast<std::size_t>(count)));
  return true;
}

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& words, double timeout_s) {
  Check(!words.empty(), "a program without a name");
  Pipe out;
  Pipe err;
  const pid_t pid = Start(words, out, err);
  out.CloseWriteEnd();
  err.CloseWriteEnd();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  ProgramResult result;
  pollfd ends[2] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
  std::string* const texts[2] = {&result.out, &result.err};
  int status = 0;
  bool ended = false;
  while (true) {
    const int ready = ::poll(ends, 2, ended ? 0 : kLookMs);
    for (int i = 0; ready > 0 && i < 2; ++i) {
      if (ends[i].revents != 0 && !Take(ends[i].fd, *texts[i])) {
        ends[i].fd = -1;
      }
    }
    if (ready <= 0 && ended) {
      break;  // what it started may hold the pipes open, but says no more that counts
    }
    ended = ended || ::waitpid(pid, &status, WNOHANG) == pid;
    if (ended && ends[0].fd < 0 && ends[1].fd < 0) {
      break;
    }
    if (!ended && std::chrono::steady_clock::now() >= end) {
      result.timed_out = true;
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      break;
    }
  }
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace halftone
