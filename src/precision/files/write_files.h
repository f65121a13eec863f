// Files of precision options, written and read. The round trip is exact: the measured configuration
// is the one that a user gets by giving these files and arguments to the compiler.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/precision/precision_options.h"

namespace halftone {

struct OptionFiles {
  // "--precision_mode=force_fp16", "--keep_dtype=keep_dtype.cfg", ...: all arguments.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> files;  // content by the name that the arguments use
};

// Writes the files, each with a leading comment that names the arguments, where its format has
// comments. `fusion_switches` is the content of a --fusion_switch_file that goes with them, empty:
// none. Errors: kUsage for names that the formats cannot express (KeepLineFor, CanBeImplModeKey,
// CanBeCustomTarget); kUnsupported for number formats, as ObstacleToFiles().
OptionFiles WriteOptionFiles(const PrecisionOptions& options,
                             const std::string& fusion_switches = {});

// Reason why files cannot express the options: number formats that no option of a target names.
// Empty: they can.
std::string ObstacleToFiles(const PrecisionOptions& options);

// The inverse. Warnings of the readers go to `warnings` when it is given. Errors: kUsage for
// arguments that are no precision options, and those of the file readers.
PrecisionOptions ReadOptionFiles(const OptionFiles& files,
                                 std::vector<std::string>* warnings = nullptr);

// All file names that WriteOptionFiles() may use.
std::vector<std::string_view> OptionFileNames();

}  // namespace halftone
