#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace halftone::testing {

void Require(bool ok, std::string_view what) {
  if (!ok) {
    std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
  }
}

void RequireReadable(const Error& error) {
  const std::string_view message = error.what();
  const auto acts = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  };
  const bool readable = error.kind() != ErrorKind::kInternal && !message.empty() &&
                        std::none_of(message.begin(), message.end(), acts);
  Require(readable, message);
}

}  // namespace halftone::testing
