// The files that stand for precision options, and the way back. The round trip is exact: what is
// measured is what a user gets who gives these files and arguments to the compiler.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/precision/precision_options.h"

namespace halftone {

struct OptionFiles {
  // "--precision_mode=force_fp16", "--keep_dtype=keep_dtype.cfg", ...: all that is to be typed.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> files;  // content by the name that the arguments use
};

// Files open with a comment that names the arguments, where their format has comments.
// `fusion_switches` is the content of a --fusion_switch_file that goes with them, empty: none.
// Errors: kUsage for what the file formats cannot express: names (KeepLineFor, CanBeImplModeKey,
// CanBeCustomTarget); kUnsupported for number formats, as ObstacleToFiles() says.
OptionFiles WriteOptionFiles(const PrecisionOptions& options,
                             const std::string& fusion_switches = {});

// Why no files stand for the options: number formats that no option of a target names. Empty: they
// can be written.
std::string ObstacleToFiles(const PrecisionOptions& options);

// The inverse. Warnings of the readers go to `warnings` when it is given. Errors: kUsage for
// arguments that are no precision options, and as the file readers have them.
PrecisionOptions ReadOptionFiles(const OptionFiles& files,
                                 std::vector<std::string>* warnings = nullptr);

// Every name that WriteOptionFiles() may give a file.
std::vector<std::string_view> OptionFileNames();

}  // namespace halftone
