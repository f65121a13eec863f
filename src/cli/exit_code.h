// Exit codes of errors.
#pragma once

#include <exception>

#include "src/base/error.h"

namespace halftone {

int ExitCodeOf(ErrorKind kind);

// Exit code of a command that an exception ends.
int ExitCodeOf(const std::exception& error);

}  // namespace halftone
