#include "src/base/end_with_parent.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "src/base/whole_number.h"

namespace halftone {
namespace {

constexpr const char* kVariable = "HALFTONE_PARENT";

// The parent named in the environment, once.
std::optional<pid_t> TakeParent() {
  const char* text = std::getenv(kVariable);
  if (text == nullptr) {
    return std::nullopt;
  }
  const std::optional<pid_t> parent = WholeNumber<pid_t>(text);
  ::unsetenv(kVariable);
  return parent;
}

}  // namespace

std::string ParentWord() {
  return fmt::format("{}={}", kVariable, ::getpid());
}

void EndWithParent() {
  const std::optional<pid_t> parent = TakeParent();
  if (!parent) {
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // A parent that died before this call sends no signal; this process has another one by then.
  if (::getppid() != *parent) {
    ::raise(SIGTERM);
  }
}

}  // namespace halftone
