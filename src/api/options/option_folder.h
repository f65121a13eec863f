// A folder with one option set: arguments.txt, the files that it names, and point.json, the record
// of their origin.
#pragma once

#include <filesystem>
#include <string_view>

#include "src/api/options/point_record.h"
#include "src/precision/files/write_files.h"

namespace halftone {

inline constexpr std::string_view kArgumentsFile = "arguments.txt";
inline constexpr std::string_view kAtcScript = "atc.sh";  // src/api/report/atc_script.h

// Creates the folder, writes the files and point.json, and last arguments.txt, with an argument on
// each line in shell quotes (src/base/shell_words.h). Deletes other files of an earlier set, so
// that the folder never mixes two; only regular files, and only where point.json or arguments.txt
// shows that a set was there. Files that `record` already names were written before, and stay.
// Error kIo.
void WriteOptionFolder(const std::filesystem::path& folder, const OptionFiles& files,
                       PointRecord record);

// Removes the regular files of a set, under the same conditions, and the folder if nothing else is
// left in it.
void RemoveOptionFolder(const std::filesystem::path& folder);

}  // namespace halftone
