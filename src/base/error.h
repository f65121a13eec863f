// Errors inside halftone: context, and checks of programmer errors.
//
// A function throws Error when it cannot do its work; expected outcomes are return values. main()
// prints the error once and chooses the exit code. Other code that catches an Error turns it into a
// value (a rejected plan, a warning, another attempt), or adds context and throws it again. The
// file that includes a third-party library translates its exceptions.
#pragma once

#include <string_view>
#include <utility>

#include "halftone/error.h"

namespace halftone {

// Calls body() and returns its result. Adds where() as context to an Error that body() throws, and
// throws it again; where() is called only then.
template <typename Where, typename Body>
decltype(auto) WithContext(Where&& where, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    error.AddContext(std::forward<Where>(where)());
    throw;
  }
}

// Throws Error kInternal with the position of the caller if `ok` is false. For programmer errors;
// checked in every build. Clang 14 has no std::source_location, so the builtins behind it are used.
void Check(bool ok, std::string_view what, const char* file = __builtin_FILE(),
           int line = __builtin_LINE());

}  // namespace halftone
