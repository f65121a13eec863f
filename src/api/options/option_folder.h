// Option folder: one option set as arguments.txt, the files that it names, and point.json, the
// record of the network and the plan.
#pragma once

#include <filesystem>
#include <string_view>

#include "src/api/options/point_record.h"
#include "src/precision/files/write_files.h"

namespace halftone {

inline constexpr std::string_view kArgumentsFile = "arguments.txt";
inline constexpr std::string_view kAtcScript = "atc.sh";  // src/api/report/atc_script.h

// Writes an option set: creates the folder, writes the files, point.json, and last arguments.txt,
// which has one argument on each line in shell quotes (src/base/shell_words.h). If a point.json or
// arguments.txt in the folder shows an earlier set, first deletes those regular files of that set
// that the new one does not replace, so that the folder never mixes two sets. Files in record.files
// were written before this call, and stay. Error kIo.
void WriteOptionFolder(const std::filesystem::path& folder, const OptionFiles& files,
                       PointRecord record);

// Deletes the regular files of an option set under the same condition, and the folder if it is then
// empty.
void RemoveOptionFolder(const std::filesystem::path& folder);

}  // namespace halftone
