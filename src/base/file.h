// Whole files, with errors that name the path and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace halftone {

// The bytes of a file. Error kIo: missing, a folder, not readable.
std::string ReadFile(const std::filesystem::path& path);

// The same for a regular file of at most `most_bytes`: a device could be endless. Error kIo.
std::string ReadSmallFile(const std::filesystem::path& path, std::uintmax_t most_bytes);

// Replaces the file in one step (write beside it, flush to the disk, rename), so that a reader and
// a crash see the old content or the new, never half of it. Creates the folder. Error kIo.
void WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

// Creates a folder and its parents. Error kIo naming the folder and the reason.
void CreateFolder(const std::filesystem::path& path);

}  // namespace halftone
