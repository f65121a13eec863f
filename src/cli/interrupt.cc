#include "src/cli/interrupt.h"

#include <csignal>

#include "src/cli/terminal.h"

namespace halftone {
namespace {

// A signal handler can only reach a global of this type.
volatile std::sig_atomic_t interrupted = 0;

extern "C" void OnInterrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::Requested() {
  return interrupted != 0;
}

bool StopRequested() {
  return InterruptGuard::Requested() || NobodyReadsOutput();
}

}  // namespace halftone
