#include "src/runtimes/onnxruntime/try_apart.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr unsigned kMostSeconds = 120;

[[noreturn]] void RunInCopy(const std::function<void()>& body) {
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // It ends with the thread that waits for it; a signal of the terminal is for that one, and would
  // seem to be a crash here.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_IGN);
  }
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
