// When a running search is to end early: what it measured is kept, its files are written.
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

// After Ctrl-C, and once nobody reads standard output any more (`halftone tune ... 2>&1 | head`). A
// standard error that nobody reads loses notes and progress, and stops nothing.
[[nodiscard]] bool StopRequested();

}  // namespace halftone
