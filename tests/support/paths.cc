#include "tests/support/paths.h"

#include <cstdlib>

namespace halftone::testing {

std::filesystem::path SourceDir() {
  const char* folder = std::getenv("HALFTONE_SOURCE_DIR");
  return folder != nullptr ? folder : ".";
}

std::optional<std::filesystem::path> SharedDir() {
  const char* folder = std::getenv("HALFTONE_SHARED_DIR");
  const std::filesystem::path shared = folder != nullptr ? folder : SourceDir() / ".." / "shared";
  std::error_code error;
  if (!std::filesystem::is_directory(shared / "models", error)) {
    return std::nullopt;
  }
  return shared;
}

}  // namespace halftone::testing
