#include "src/base/move_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {

namespace fs = std::filesystem;

bool MoveFolder(const fs::path& from, const fs::path& to) {
  CreateFolder(to.parent_path());
  std::error_code code;
  fs::rename(from, to, code);
  if (code == std::errc::directory_not_empty || code == std::errc::file_exists) {
    return false;
  }
  if (code) {
    throw Error(ErrorKind::kIo, fmt::format("cannot move '{}' to '{}': {}", from.string(),
                                            to.string(), code.message()));
  }
  return true;
}

}  // namespace halftone
