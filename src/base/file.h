// Functions that read and write whole files. Errors name the path and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace halftone {

// Returns the bytes of a regular file. Error kIo: missing, not a regular file, or not readable.
std::string ReadFile(const std::filesystem::path& path);

// Returns the bytes of a regular file. Errors as ReadFile(); kIo for more than `most_bytes`.
std::string ReadSmallFile(const std::filesystem::path& path, std::uintmax_t most_bytes);

// Replaces the file in one step: readers, also after a crash, see the old or the new content.
// Creates the folder. Links, devices and FIFOs are treated as in OutputFile
// (src/base/output_file.h). Error kIo.
void WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

// Creates a folder and its parents. A symbolic link is followed. Error kIo.
void CreateFolder(const std::filesystem::path& path);

}  // namespace halftone
