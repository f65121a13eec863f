// Options of a command from a file (--config=FILE), which options on the command line override.
#pragma once

#include <string>
#include <vector>

#include "src/cli/parser_classes.h"

namespace halftone {

// Replaces --config in `words`, which begin with the command's name, by the options of the file.
// They are inserted after the name, except options that are among the words. The file is INI or
// TOML with lines `name = value`. The value `true` sets a flag and `false` does not; a list repeats
// the option for each value. A section such as [tune] applies to that command alone. Relative paths
// are relative to the working directory. Errors: kUsage for a --config without a file or given
// twice, an option or a section that does not exist, and a flag with another value; kIo for a file
// that cannot be read.
std::vector<std::string> ExpandConfig(const CLI::App& command,
                                      const std::vector<std::string>& words);

}  // namespace halftone
