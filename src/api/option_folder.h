// A folder with one option set: arguments.txt and the files that it names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/precision/write_files.h"

namespace halftone {

inline constexpr std::string_view kArgumentsFile = "arguments.txt";

// Creates the folder, writes the files and last `arguments` as arguments.txt. Option files of an
// earlier set that are not of this one go, so that the folder never mixes two; what is not a
// regular file is not ours and stays. Error kIo.
void WriteOptionFolder(const std::filesystem::path& folder, const OptionFiles& files,
                       std::string_view arguments);

// The same for what stands for `options`, with an argument on each line of arguments.txt; the
// result is what was written. Errors: as WriteOptionFiles(), kIo.
OptionFiles WriteOptionFolder(const std::filesystem::path& folder, const PrecisionOptions& options,
                              const std::string& fusion_switches);

// Removes the regular files of the set and, where nothing else is left in it, the folder.
void RemoveOptionFolder(const std::filesystem::path& folder);

}  // namespace halftone
