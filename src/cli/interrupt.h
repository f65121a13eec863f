// Early end of a running search: its measurements are stored, its files are written.
//
// Ctrl-C: the first asks the search to stop, the second ends the process at once.
#pragma once

namespace halftone {

// Takes over SIGINT and SIGTERM while it lives.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool Requested();
};

// True after Ctrl-C, and once standard output has no reader (`halftone tune ... 2>&1 | head`).
// Standard error without a reader loses notes and progress, and stops nothing.
[[nodiscard]] bool StopRequested();

}  // namespace halftone
