// Early end of a running search: its measurements are stored, its files are written.
//
// Ctrl-C: the first asks the search to stop, the second ends the process at once. SIGTERM and
// SIGHUP, unless that is ignored (nohup), are the same.
#pragma once

namespace halftone {

// Takes over SIGINT, SIGTERM and SIGHUP while it lives.
class InterruptGuard {
 public:
  enum class Signals : bool { kInterrupt, kAndNotice };
  // kAndNotice: SIGUSR1, by which a queue says that the time of a job ends, asks to stop too.
  explicit InterruptGuard(Signals signals = Signals::kInterrupt);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool Requested();
  // True if the signal was SIGUSR1.
  [[nodiscard]] static bool NoticeCame();
};

// True after Ctrl-C, and once standard output has no reader (`halftone tune ... 2>&1 | head`).
// Standard error without a reader loses notes and progress, and stops nothing.
[[nodiscard]] bool StopRequested();

}  // namespace halftone
