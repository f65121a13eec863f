// Ctrl-C: the first asks a running search to stop, the second ends the process at once.
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

}  // namespace halftone
