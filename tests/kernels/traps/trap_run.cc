// A run of a test binary for instruction sets that this CPU may lack (HALFTONE_TEST_TRAPS).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/cpu_isa_for_tests.h"
#include "src/base/error.h"
#include "tests/kernels/traps/instruction_traps.h"

namespace halftone::testing {
namespace {

IsaMask ParseIsa(std::string_view names) {
  IsaMask isa = kIsaAny;
  for (const InstructionSet& set : InstructionSets()) {
    const std::size_t at = names.find(set.name);
    const std::size_t end = at + set.name.size();
    if (at != std::string_view::npos && (at == 0 || names[at - 1] == '+') &&
        (end == names.size() || names[end] == '+')) {
      isa |= set.bit;
    }
  }
  Check(IsaName(isa) == names,
        fmt::format("HALFTONE_TEST_TRAPS: expected names of instruction sets joined by + in the "
                    "order of kernels/cpu_isa.cc, got '{}'",
                    names));
  return isa;
}

IsaMask IsaOfVariable() {
  const char* names = std::getenv("HALFTONE_TEST_TRAPS");
  return names == nullptr || *names == '\0' ? kIsaAny : ParseIsa(names);
}

// Before GoogleTest makes the cases of parametrised tests, which may ask DetectIsa().
std::string Install() {
  const IsaMask isa = IsaOfTrapRun();
  std::string reason = ReasonAgainstTraps(isa);
  if (reason.empty()) {
    InstallInstructionTraps(isa);
    PretendIsaForTests(isa & ~CpuIsa());
  }
  return reason;
}

class TrapRun : public ::testing::Environment {
 public:
  explicit TrapRun(std::string refusal) : refusal_(std::move(refusal)) {}

  void SetUp() override {
    if (!refusal_.empty()) {
      fmt::print("SKIPPED: {}\n", refusal_);
      GTEST_SKIP() << refusal_;
    }
  }

 private:
  std::string refusal_;
};

const ::testing::Environment* const kRegistered =
    ::testing::AddGlobalTestEnvironment(new TrapRun(Install()));

}  // namespace

IsaMask IsaOfTrapRun() {
  static const IsaMask kIsa = IsaOfVariable();
  return kIsa;
}

}  // namespace halftone::testing
