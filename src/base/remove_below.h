// Deletion that stays below a folder. Code that deletes at a path that it did not make itself uses
// these functions.
#pragma once

#include <filesystem>
#include <system_error>

namespace halftone {

// True if `path` lies below `folder` and is not `folder` itself. Symbolic links among the parents
// of `path` are followed. `path` itself need not exist and is not followed: of a link, the location
// of the link counts.
[[nodiscard]] bool LiesBelow(const std::filesystem::path& folder,
                             const std::filesystem::path& path);

// Removes the file or folder at `path` with all its content; of a link, the link itself. A missing
// path is no error. Returns errc::operation_not_permitted, and removes nothing, if `path` does not
// lie below `folder`; otherwise the first error of the system.
std::error_code RemoveBelow(const std::filesystem::path& folder, const std::filesystem::path& path);

// Removes one regular file or empty folder; anything else stays, without an error. Returns errors
// as RemoveBelow().
std::error_code RemoveOneBelow(const std::filesystem::path& folder,
                               const std::filesystem::path& path);

}  // namespace halftone
