#include "src/base/path_error.h"

#include <fmt/format.h>

#include "src/base/text.h"

namespace halftone {

std::string SentenceOf(const std::filesystem::filesystem_error& error) {
  return fmt::format("cannot use '{}': {}", Printable(error.path1().string()),
                     error.code().message());
}

std::string SentenceOf(const std::exception& error) {
  const auto* const of_path = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  return of_path != nullptr ? SentenceOf(*of_path) : error.what();
}

}  // namespace halftone
