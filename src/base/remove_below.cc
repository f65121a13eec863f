#include "src/base/remove_below.h"

#include <algorithm>

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Without a slash at the end, which would hide a name.
fs::path WithoutSlash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

bool LiesBelow(const fs::path& folder, const fs::path& path) {
  const fs::path whole = WithoutSlash(path);
  const fs::path name = whole.filename();
  if (name.empty() || name == "." || name == "..") {
    return false;
  }
  std::error_code code;
  const fs::path root = WithoutSlash(fs::weakly_canonical(fs::absolute(folder, code), code));
  if (code) {
    return false;
  }
  const fs::path parent = WithoutSlash(fs::weakly_canonical(
      fs::absolute(whole.has_parent_path() ? whole.parent_path() : ".", code), code));
  if (code) {
    return false;
  }
  const fs::path full = parent / name;
  return std::ranges::mismatch(root, full).in1 == root.end() && full != root;
}

std::error_code RemoveBelow(const fs::path& folder, const fs::path& path) {
  if (!LiesBelow(folder, path)) {
    return std::make_error_code(std::errc::operation_not_permitted);
  }
  std::error_code code;
  fs::remove_all(path, code);
  return code;
}

std::error_code RemoveOneBelow(const fs::path& folder, const fs::path& path) {
  if (!LiesBelow(folder, path)) {
    return std::make_error_code(std::errc::operation_not_permitted);
  }
  std::error_code code;
  const fs::file_type type = fs::symlink_status(path, code).type();
  if (type == fs::file_type::not_found) {
    return {};
  }
  const bool may_go = type == fs::file_type::regular ||
                      (type == fs::file_type::directory && fs::is_empty(path, code) && !code);
  if (may_go) {
    fs::remove(path, code);
  }
  return code;
}

}  // namespace halftone
