// Exit codes of errors.
#pragma once

#include <exception>

#include "src/base/error.h"

namespace halftone {

int ExitCodeOf(ErrorKind kind);

// Exit code for an exception that ends a command.
int ExitCodeOf(const std::exception& error);

}  // namespace halftone
