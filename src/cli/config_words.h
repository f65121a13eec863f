// --config=FILE: options of a command from a file, under those of the command line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

// `words` of the command without --config. Behind the command's name stands an option for each line
// of the file, `name = value` as in INI or TOML, unless the option is among the words. A flag is
// set by `true` and left out by `false`; a list gives the option once for each value. Sections are
// names of commands: [tune] holds for `halftone tune` alone. Relative paths are relative to the
// working directory. Error kUsage, kIo: no file, one that cannot be read, an option that the
// command does not have.
std::vector<std::string> ExpandConfig(const CLI::App& command,
                                      const std::vector<std::string>& words);

}  // namespace halftone
