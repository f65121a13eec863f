// Errors inside halftone: context, and checks of programmer errors.
//
// An Error is thrown when a request cannot be answered; expected outcomes are return values. It
// ends in main, which prints it once and chooses the exit code. Code that catches it before makes a
// value of it (a rejected plan, a warning, another way to try) or adds context and throws it on.
// Third-party exceptions are translated in the one file that may include that library.
#pragma once

#include <string_view>
#include <utility>

#include "halftone/error.h"

namespace halftone {

// Runs `body`; an Error that leaves it is prefixed with where(), which is called only then.
template <typename Where, typename Body>
decltype(auto) WithContext(Where&& where, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    error.AddContext(std::forward<Where>(where)());
    throw;
  }
}

// Throws Error{kInternal} with the caller's position unless `ok`: for programmer errors, in every
// build. (std::source_location is made of these builtins; clang 14 does not have it yet.)
void Check(bool ok, std::string_view what, const char* file = __builtin_FILE(),
           int line = __builtin_LINE());

}  // namespace halftone
