#include "src/runtimes/onnxruntime/try_apart.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr unsigned kMostSeconds = 120;

[[noreturn]] void RunInCopy(const std::function<void()>& body) {
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::alarm(kMostSeconds);
  try {
    body();
  } catch (const Error&) {
    // The caller meets it again, with its reason.
  }
  ::_exit(0);
}

}  // namespace

int SignalOfCopy(const std::function<void()>& body) {
  const pid_t copy = ::fork();
  if (copy < 0) {
    return 0;  // no copy: what happens, happens here
  }
  if (copy == 0) {
    RunInCopy(body);
  }
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace halftone
