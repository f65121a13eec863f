#include "src/cli/exit_code.h"

#include <new>
#include <system_error>

#include "src/base/error.h"
#include "src/base/output_file.h"
#include "src/cli/command.h"

namespace halftone {

int ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return kExitUsage;
    case ErrorKind::kInternal:
      return kExitBug;
    default:
      return kExitFailure;
  }
}

int ExitCodeOf(const std::exception& error) {
  if (dynamic_cast<const ClosedPipe*>(&error) != nullptr) {
    return kExitClosedPipe;
  }
  if (dynamic_cast<const StoppedByUser*>(&error) != nullptr) {
    return kExitInterrupted;
  }
  if (const auto* known = dynamic_cast<const Error*>(&error)) {
    return ExitCodeOf(known->kind());
  }
  const bool of_system = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                         dynamic_cast<const std::system_error*>(&error) != nullptr;
  return of_system ? kExitFailure : kExitBug;
}

}  // namespace halftone
