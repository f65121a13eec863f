// Early end of long work by a signal.
//
// The first Ctrl-C (SIGINT) asks the work to stop: its measurements are stored and its files
// written. The second ends the process at once. SIGTERM and SIGHUP have the same effect; SIGHUP has
// none if it is ignored (nohup).
#pragma once

namespace halftone {

// Handles SIGINT, SIGTERM and SIGHUP during its lifetime.
class InterruptGuard {
 public:
  enum class Signals : bool { kInterrupt, kAndNotice };
  // kAndNotice: SIGUSR1, by which a batch system announces the end of a job, also asks to stop.
  explicit InterruptGuard(Signals signals = Signals::kInterrupt);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // True after one of the signals.
  [[nodiscard]] static bool Requested();
  // True after SIGUSR1.
  [[nodiscard]] static bool NoticeCame();
};

// True after one of the signals, and once standard output has no reader (`halftone tune ... 2>&1 |
// head`). A standard error without a reader loses notes and progress, but stops nothing.
[[nodiscard]] bool StopRequested();

}  // namespace halftone
