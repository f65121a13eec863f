// A folder with one option set: arguments.txt, the files that it names, and point.json, which says
// what they were written for.
#pragma once

#include <filesystem>
#include <string_view>

#include "src/api/options/point_record.h"
#include "src/precision/files/write_files.h"

namespace halftone {

inline constexpr std::string_view kArgumentsFile = "arguments.txt";

// Creates the folder, writes the files, point.json and last arguments.txt with an argument on each
// line, quoted as a shell reads it (src/base/shell_words.h). Files of an earlier set that are not
// of this one go, so that the folder never mixes two; what is not a regular file is not ours and
// stays. Error kIo.
void WriteOptionFolder(const std::filesystem::path& folder, const OptionFiles& files,
                       PointRecord record);

// Removes the regular files of the set and, where nothing else is left in it, the folder.
void RemoveOptionFolder(const std::filesystem::path& folder);

}  // namespace halftone
