#include "tests/support/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

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
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    for (const auto& [name, value] : environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

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
