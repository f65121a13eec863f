// Folders that appear whole: put together beside their place, then moved there in one step.
#pragma once

#include <filesystem>

namespace halftone {

// Moves a folder on one file system. False: `to` is there and not empty, and nothing has changed.
// Creates the folder above `to`. Error kIo.
bool MoveFolder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace halftone
