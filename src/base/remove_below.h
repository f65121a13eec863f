// Deletion that stays below a folder: the only way in which the product deletes by a path that is
// not a constant of its own.
#pragma once

#include <filesystem>
#include <system_error>

namespace halftone {

// True if `path` lies in `folder`, and is not `folder` itself, once the symbolic links of its
// parents are followed. The path may name nothing, or a link: then the place of the link counts.
[[nodiscard]] bool LiesBelow(const std::filesystem::path& folder,
                             const std::filesystem::path& path);

// Removes what lies at `path`, with all that is in it; a link is removed and its target stays.
// Nothing there is no error. Returns errc::operation_not_permitted, and removes nothing, where the
// path does not lie below `folder`; else the first error of the system.
std::error_code RemoveBelow(const std::filesystem::path& folder, const std::filesystem::path& path);

// The same for one plain file or an empty folder; anything else stays, without an error.
std::error_code RemoveOneBelow(const std::filesystem::path& folder,
                               const std::filesystem::path& path);

}  // namespace halftone
