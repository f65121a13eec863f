#include "src/base/error.h"

namespace halftone {

void Check(bool ok, std::string_view what, std::source_location where) {
  if (ok) {
    return;
  }
  std::string message = "internal error: ";
  message.append(what).append(" (").append(where.file_name()).append(":");
  message.append(std::to_string(where.line())).append(")");
  throw Error(ErrorKind::kInternal, std::move(message));
}

}  // namespace halftone
