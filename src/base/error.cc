#include "src/base/error.h"

#include "src/base/text.h"

namespace halftone {

Error::Error(ErrorKind kind, std::string_view message)
    : kind_(kind), message_(Printable(message)) {}

void Error::AddContext(std::string_view where) {
  message_.insert(0, Printable(where) + ": ");
}

void Check(bool ok, std::string_view what, const char* file, int line) {
  if (ok) {
    return;
  }
  std::string message = "internal error: ";
  message.append(what).append(" (").append(file).append(":");
  message.append(std::to_string(line)).append(")");
  throw Error(ErrorKind::kInternal, std::move(message));
}

}  // namespace halftone
