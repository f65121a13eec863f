// Writer and reader of precision options as arguments and files. The round trip is exact, so a user
// who gives these arguments and files to the compiler gets the configuration that was measured.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/precision/precision_options.h"

namespace halftone {

struct OptionFiles {
  // All arguments: "--precision_mode=force_fp16", "--keep_dtype=keep_dtype.cfg", ...
  std::vector<std::string> arguments;
  std::map<std::string, std::string> files;  // content of each file, by its name in `arguments`
};

// Writes the options. A file whose format has comments begins with a comment that lists the
// arguments. `fusion_switches` is the content of a --fusion_switch_file; empty: there is none.
// Error kUsage: a format cannot express a name (KeepLineFor(), CanBeImplModeKey(),
// CanBeCustomTarget()). Error kUnsupported: ObstacleToFiles() is not empty.
OptionFiles WriteOptionFiles(const PrecisionOptions& options,
                             const std::string& fusion_switches = {});

// Reason why files cannot express the options: a node has a number format that no option names.
// Empty: files can express them.
std::string ObstacleToFiles(const PrecisionOptions& options);

// Reads options that WriteOptionFiles() wrote. `warnings`, unless null, receives the warnings of
// the readers. Error kUsage: an argument is no precision option, or its file is missing. Errors
// also as PrecisionOptionRow::read().
PrecisionOptions ReadOptionFiles(const OptionFiles& files,
                                 std::vector<std::string>* warnings = nullptr);

// All file names that WriteOptionFiles() may use.
std::vector<std::string_view> OptionFileNames();

}  // namespace halftone
