#include "src/runtimes/onnxruntime/try_apart.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr unsigned kMostSeconds = 120;

[[noreturn]] void RunInCopy(const std::function<void()>& body) {
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // The copy ends with the thread that waits for it. Signals of the terminal are meant for that
  // thread, and would look like a crash here.
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

// Waits for the end of the copy, which a stop brings about. Returns the status of waitpid().
int WaitFor(pid_t copy, const std::function<bool()>& stop_requested) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  int status = 0;
  bool stopped = false;
  while (true) {
    const bool asks = stop_requested && !stopped;
    const pid_t ended = ::waitpid(copy, &status, asks ? WNOHANG : 0);
    if (ended == copy || (ended < 0 && errno != EINTR)) {
      break;
    }
    if (asks && stop_requested()) {
      ::kill(copy, SIGKILL);
      stopped = true;
    } else if (ended == 0) {
      std::this_thread::sleep_for(kPause);
    }
  }
  if (stopped) {
    throw StoppedByUser("ONNX Runtime was trying to load a plan");
  }
  return status;
}

}  // namespace

int SignalOfCopy(const std::function<void()>& body, const std::function<bool()>& stop_requested) {
  const pid_t copy = ::fork();
  if (copy < 0) {
    return 0;  // no copy: what happens, happens here
  }
  if (copy == 0) {
    RunInCopy(body);
  }
  const int status = WaitFor(copy, stop_requested);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace halftone
