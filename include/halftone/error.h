// The one exception type of halftone.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

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
  // Escapes control characters in the message: it quotes files that may hold anything.
  Error(ErrorKind kind, std::string_view message);

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

  // Prepends "where: ", so that the text reads from the outside in.
  void AddContext(std::string_view where);

 private:
  ErrorKind kind_;
  std::string message_;
};

// End of work that the user stopped before it had a result; exit code 130.
class StoppedByUser : public Error {
 public:
  explicit StoppedByUser(std::string_view what) : Error(ErrorKind::kUnsupported, what) {}
};

}  // namespace halftone
