// The one exception type of halftone.
//
// Thrown when a request cannot be answered; expected outcomes are return values. It ends in main,
// which prints it once and chooses the exit code. Code that catches it before makes a value of it
// (a rejected plan, a warning, another way to try) or adds context and throws it on. Third-party
// exceptions are translated in the one file that may include that library.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace halftone {

enum class ErrorKind : std::uint8_t {
  kUsage,        // options that contradict each other or the specification: exit code 2
  kModel,        // a model that is malformed or inconsistent: 1
  kUnsupported,  // legal, but beyond what halftone does: 1
  kIo,           // a file that is missing, short or not writable: 1
  kDatabase,     // a knowledge base that is corrupt, locked or of a newer version: 1
  kInternal,     // a bug in halftone: 70
};

class Error : public std::exception {
 public:
  // Makes the message Printable() (src/base/printable.h): it quotes files that may hold anything.
  Error(ErrorKind kind, std::string_view message);

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

  // Prepends "where: ", so that the text reads from the outside in.
  void AddContext(std::string_view where);

 private:
  ErrorKind kind_;
  std::string message_;
};

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
