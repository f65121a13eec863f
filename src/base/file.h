// Whole files, with errors that name the path and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace halftone {

// The bytes of a regular file. Error kIo: missing, not a regular file, not readable.
std::string ReadFile(const std::filesystem::path& path);

// The bytes of a regular file of at most `most_bytes`. Error kIo.
std::string ReadSmallFile(const std::filesystem::path& path, std::uintmax_t most_bytes);

// Replaces the file in one step, so that a reader and a crash see the old content or the new, never
// half of it; devices, FIFOs and links are written as OutputFile (src/base/output_file.h) says.
// Creates the folder. Error kIo.
void WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

// Creates a folder and its parents; follows a symbolic link. Error kIo naming the folder and the
// reason.
void CreateFolder(const std::filesystem::path& path);

}  // namespace halftone
