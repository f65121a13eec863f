#include "src/cli/file_size_limit.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "src/cli/command.h"

namespace halftone {
namespace {

// Only what is safe in a signal handler, write() and _exit(): a sentence of ours, nothing foreign.
extern "C" void OnBusError(int signal, siginfo_t* info, void* /*context*/) {
  if (info->si_code != BUS_ADRERR) {  // no address beyond the end of a file
    std::signal(signal, SIG_DFL);
    return;  // to the same instruction
  }
  constexpr std::string_view kSentence =
      "error: a file that is mapped into memory became shorter while it was read: expected the "
      "model's external data to stay as they are, restore the file and run again\n";
  static_cast<void>(!write(STDERR_FILENO, kSentence.data(), kSentence.size()));
  _exit(kExitFailure);
}

}  // namespace

void HandleFileSizeSignals() {
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace halftone
