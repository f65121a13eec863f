#include "tests/support/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone::testing {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

// Two files that capture stdout and stderr; removed at the end.
struct Captured {
  explicit Captured(const char* stream) {
    std::string path =
        (std::filesystem::temp_directory_path() / ("halftone-" + std::string(stream) + "-XXXXXX"))
            .string();
    descriptor = ::mkstemp(path.data());
    Check(descriptor >= 0, "no temporary file");
    name = path;
  }

  ~Captured() {
    ::close(descriptor);
    std::filesystem::remove(name);
  }

  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  int descriptor = -1;
  std::filesystem::path name;
};

void Lead(int stream, int descriptor) {
  if (descriptor < 0) {
    ::close(stream);
  } else {
    ::dup2(descriptor, stream);
  }
}

// A negative descriptor: the stream is closed.
pid_t Start(const std::vector<std::string>& arguments, const Environment& environment, int out,
            int err) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));  // execv does not write to them
  }
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  Check(child >= 0, "fork failed");
  if (child == 0) {
    Lead(STDOUT_FILENO, out);
    Lead(STDERR_FILENO, err);
    for (const auto& [name, value] : environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

// One standard stream of a program that is about to start.
class Leading {
 public:
  Leading(Stream stream, const char* name) : stream_(stream) {
    if (stream == Stream::kCaptured) {
      captured_.emplace(name);
    } else if (stream == Stream::kFull) {
      ends_[1] = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
      Check(ends_[1] >= 0, "no /dev/full");
    } else if (stream != Stream::kClosed) {
      Check(::pipe2(ends_, O_CLOEXEC) == 0, "no pipe");
      if (stream == Stream::kNobodyReads) {
        Close(ends_[0]);
      }
    }
  }

  ~Leading() {
    Close(ends_[0]);
    Close(ends_[1]);
  }

  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;

  [[nodiscard]] int write_end() const { return captured_ ? captured_->descriptor : ends_[1]; }

  // In this process nobody holds the write end any more, and a reader reads what it wants.
  void Started() {
    Close(ends_[1]);
    if (stream_ == Stream::kTwoLinesAreRead || stream_ == Stream::kAFrontIsRead) {
      for (char letter = 0; !HasReadEnough() && ::read(ends_[0], &letter, 1) == 1;) {
        lines_ += letter;
      }
      Close(ends_[0]);
    }
  }

  [[nodiscard]] std::string Text() const { return captured_ ? ReadFile(captured_->name) : lines_; }

 private:
  static void Close(int& descriptor) {
    if (descriptor >= 0) {
      ::close(descriptor);
    }
    descriptor = -1;
  }

  [[nodiscard]] bool HasReadEnough() const {
    return stream_ == Stream::kTwoLinesAreRead ? std::ranges::count(lines_, '\n') == 2
                                               : lines_.ends_with(", front of ");
  }

  Stream stream_;
  int ends_[2] = {-1, -1};
  std::optional<Captured> captured_;
  std::string lines_;
};

int ExitCode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const Environment& environment) {
  const Captured out("out");
  const Captured err("err");
  const pid_t child = Start(arguments, environment, out.descriptor, err.descriptor);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {ExitCode(status), ReadFile(out.name), ReadFile(err.name)};
}

ProcessResult RunProcess(const std::vector<std::string>& arguments, const Environment& environment,
                         Stream out, Stream err) {
  Leading out_leads(out, "out");
  Leading err_leads(err == Stream::kLikeOutput ? Stream::kClosed : err, "err");
  const int err_descriptor =
      err == Stream::kLikeOutput ? out_leads.write_end() : err_leads.write_end();
  const pid_t child = Start(arguments, environment, out_leads.write_end(), err_descriptor);
  out_leads.Started();
  err_leads.Started();
  int status = 0;
  ::waitpid(child, &status, 0);
  return {ExitCode(status), out_leads.Text(), err_leads.Text()};
}

bool KillProcessWhen(const std::vector<std::string>& arguments, const Environment& environment,
                     bool (*ready)(const void*), const void* context) {
  const Captured out("out");
  const Captured err("err");
  const pid_t child = Start(arguments, environment, out.descriptor, err.descriptor);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (ready(context)) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }
    ::usleep(1000);
  }
  return false;
}

void WriteScript(const std::filesystem::path& path, std::string_view lines) {
  std::filesystem::create_directories(path.parent_path());
  WriteFileAtomically(path, "#!/bin/sh\n" + std::string(lines) + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace halftone::testing
