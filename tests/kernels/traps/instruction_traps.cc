#include "tests/kernels/traps/instruction_traps.h"

#include <fmt/format.h>

#include <array>
#include <csignal>

#include "src/base/error.h"
#include "tests/kernels/traps/amx_traps.h"
#include "tests/kernels/traps/fp16_traps.h"

#if defined(__SANITIZE_THREAD__)
// The handler stands for the instruction that raised the signal, so it may allocate, as a failed
// expectation does.
extern "C" const char* __tsan_default_options() {
  return "report_signal_unsafe=0";
}
#endif

namespace halftone::testing {

#if defined(__x86_64__) && defined(__linux__)

namespace {

constexpr std::array kTrapRows = {
    TrapRow{"amx", kIsaAmxBf16 | kIsaAmxInt8, kIsaAny, EmulateAmx},
    TrapRow{"avx512_fp16", kIsaAvx512Fp16, kIsaAvx512, EmulateFp16},
};

struct sigaction before;

void HandleIllegalInstruction(int /*signal*/, siginfo_t* /*info*/, void* context) {
  for (const TrapRow& row : kTrapRows) {
    if (row.emulate(*static_cast<ucontext_t*>(context))) {
      return;
    }
  }
  ::sigaction(SIGILL, &before, nullptr);  // the instruction is raised again, without us
}

}  // namespace

std::string ReasonAgainstTraps(IsaMask isa) {
  IsaMask left = isa & ~CpuIsa();
  for (const TrapRow& row : kTrapRows) {
    if ((left & row.isa) != 0 && (row.needs & ~CpuIsa()) != 0) {
      return fmt::format("instructions of {} read registers of {}, which this CPU lacks",
                         IsaName(left & row.isa), IsaName(row.needs & ~CpuIsa()));
    }
    left &= ~row.isa;
  }
  return left == 0 ? "" : fmt::format("no trap executes instructions of {}", IsaName(left));
}

void InstallInstructionTraps(IsaMask isa) {
  const std::string reason = ReasonAgainstTraps(isa);
  Check(reason.empty(), reason);
  if (static bool installed = false; (isa & ~CpuIsa()) != 0 && !installed) {
    installed = true;
    struct sigaction action = {};
    action.sa_sigaction = HandleIllegalInstruction;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGILL, &action, &before);
  }
}

#else

std::string ReasonAgainstTraps(IsaMask isa) {
  return (isa & ~CpuIsa()) == 0 ? "" : "instructions are trapped on Linux on x86-64 alone";
}

void InstallInstructionTraps(IsaMask isa) {
  const std::string reason = ReasonAgainstTraps(isa);
  Check(reason.empty(), reason);
}

#endif

}  // namespace halftone::testing
