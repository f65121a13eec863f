#include "src/base/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "src/base/error.h"
#include "src/base/file_descriptor.h"
#include "src/base/supervised_program.h"

namespace halftone {
namespace {

constexpr int kLookMs = 20;  // how often the end of the program is looked for
// Most reads of 16 KiB after the end of the program: a pipe holds 1 MiB at most.
constexpr int kMostLooksAfter = 128;
// For a program in place, which keeps its work, once this process is gone.
constexpr double kInPlaceGrace_s = 60;

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
  const std::vector<std::string>& added = options.environment;
  std::vector<std::string> words = added;
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

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A program that runs, with the times at which it is told to end.
class Running {
 public:
  Running(SupervisedProgram& program, const ProgramOptions& options)
      : program_(program), options_(options) {}

  // Looks whether it has ended, and tells it to where it is time. True: it has.
  bool Look(ProgramResult& result) {
    if (const auto& end = program_.End()) {
      result.seconds = end->seconds;
      result.signal = SignalOf(*end);
      result.exit_code = ExitCodeOf(*end);
      return true;
    }
    const double now_s = SecondsSince(begin_);
    if (!told_) {
      result.stopped = options_.stop_requested && options_.stop_requested();
      result.timed_out = !result.stopped && now_s >= options_.timeout_s;
      told_ = result.stopped || result.timed_out;
      kill_at_s_ = now_s + options_.grace_s;
      if (told_ && options_.grace_s > 0) {
        program_.AskToEnd();
      }
    }
    if (told_ && now_s >= kill_at_s_) {
      program_.Kill();
    }
    return false;
  }

  static int SignalOf(const ProgramEnd& end) {
    return WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
  }

  static int ExitCodeOf(const ProgramEnd& end) {
    return WIFSIGNALED(end.status) ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status);
  }

 private:
  SupervisedProgram& program_;
  const ProgramOptions& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool told_ = false;
  double kill_at_s_ = 0;
};

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& words, const ProgramOptions& options) {
  Check(!words.empty(), "a program without a name");
  Log log(options.log);
  Pipe out;
  Pipe err;
  const std::vector<std::string> environment = EnvironmentOf(options);
  SupervisedProgram program({.words = words,
                             .environment = environment,
                             .folder = options.folder,
                             .out = out.write_end(),
                             .err = err.write_end(),
                             .grace_s = options.grace_s});
  out.CloseWriteEnd();
  err.CloseWriteEnd();
  Running running(program, options);
  ProgramResult result;
  pollfd ends[] = {
      {out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}, {program.ready(), POLLIN, 0}};
  KeptText texts[2] = {KeptText(options), KeptText(options)};
  bool has_ended = false;
  for (int looks_after = 0; looks_after < kMostLooksAfter; looks_after += has_ended ? 1 : 0) {
    const int ready = ::poll(ends, std::size(ends), has_ended ? 0 : kLookMs);
    for (int i = 0; ready > 0 && i < 2; ++i) {
      if (ends[i].revents != 0 && !texts[i].Take(ends[i].fd, log)) {
        ends[i].fd = -1;
      }
    }
    // What holds the pipes open still could not be ended.
    if (has_ended && (ready <= 0 || (ends[0].fd < 0 && ends[1].fd < 0))) {
      break;
    }
    if (!has_ended && running.Look(result)) {
      has_ended = true;
      ends[2].fd = -1;
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
  const std::vector<std::string> environment = EnvironmentOf({});
  SupervisedProgram program(
      {.words = words, .environment = environment, .grace_s = kInPlaceGrace_s});
  bool told = false;
  while (!program.End()) {
    if (!told && stop_requested()) {
      program.AskToEnd();
      told = true;
    }
    pollfd ready = {program.ready(), POLLIN, 0};
    ::poll(&ready, 1, kLookMs);
  }
  return Running::ExitCodeOf(*program.End());
}

}  // namespace halftone
