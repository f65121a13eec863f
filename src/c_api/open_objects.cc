#include "src/c_api/open_objects.h"

#include <fmt/format.h>

#include "halftone/error.h"

namespace halftone {

void RefuseNumber(std::string_view noun, std::uint64_t number, bool is_closed) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("expected an open {0}, found number {1}, which {2}; open a {0} first, and "
                  "close it once",
                  noun, number, is_closed ? "is closed" : "was never opened"));
}

}  // namespace halftone
