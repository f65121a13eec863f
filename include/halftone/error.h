// Exceptions of halftone: Error, and StoppedByUser derived from it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace halftone {

// Causes of errors, and the exit codes of the program for them.
enum class ErrorKind : std::uint8_t {
  kUsage,        // wrong or contradicting options: exit code 2
  kModel,        // a malformed or inconsistent model, or data that do not fit it: 1
  kUnsupported,  // a legal request that halftone or the machine cannot serve: 1
  kIo,           // a file that is missing, short, or not readable or writable: 1
  kDatabase,     // a knowledge base that is corrupt, locked or of a newer version: 1
  kInternal,     // a bug in halftone, or in the program that calls it: 70
};

class Error : public std::exception {
 public:
  // Escapes control characters and bytes that are not UTF-8 in the message, which may quote files.
  Error(ErrorKind kind, std::string_view message);

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

  // Puts "where: " before the message.
  void AddContext(std::string_view where);

 private:
  ErrorKind kind_;
  std::string message_;
};

// Thrown when the user stops work before it has a result; exit code 130. Its kind() is
// kUnsupported, so a handler catches it before Error.
class StoppedByUser : public Error {
 public:
  explicit StoppedByUser(std::string_view what) : Error(ErrorKind::kUnsupported, what) {}
};

}  // namespace halftone
