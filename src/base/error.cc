#include "src/base/error.h"

namespace halftone {

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
