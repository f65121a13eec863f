// Move of a complete folder to its final path in one step.
#pragma once

#include <filesystem>

namespace halftone {

// Moves a folder within a file system; creates the parent of `to`. False: `to` exists and is not
// empty, and nothing was moved. Error kIo.
bool MoveFolder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace halftone
