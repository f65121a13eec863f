#include "src/cli/interrupt.h"

#include <csignal>

#include "src/cli/terminal.h"

namespace halftone {
namespace {

// A signal handler can only reach a global of this type.
volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t notice_came = 0;

extern "C" void OnInterrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

extern "C" void OnNotice(int /*signal*/) {
  notice_came = 1;
  interrupted = 1;
}

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};

// Of a program that was started by nohup.
bool IsIgnored(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void SetStops(void (*handler)(int)) {
  for (const int signal : kStops) {
    if (signal != SIGHUP || !IsIgnored(signal)) {
      std::signal(signal, handler);
    }
  }
}

}  // namespace

InterruptGuard::InterruptGuard(Signals signals) {
  interrupted = 0;
  notice_came = 0;
  if (signals == Signals::kAndNotice) {
    std::signal(SIGUSR1, OnNotice);
  }
  SetStops(OnInterrupt);
}

InterruptGuard::~InterruptGuard() {
  SetStops(SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
}

bool InterruptGuard::Requested() {
  return interrupted != 0;
}

bool InterruptGuard::NoticeCame() {
  return notice_came != 0;
}

bool StopRequested() {
  return InterruptGuard::Requested() || NobodyReadsOutput();
}

}  // namespace halftone
