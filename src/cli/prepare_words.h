// Corrections before parsing, where CLI11 would deviate from the specification.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

// Error kUsage where the first word after the program's name, or the one after `bank`, is no
// command, whatever follows: CLI11 would answer the --help of `halftone foo --help`.
void RequireKnownCommand(const CLI::App& app, const std::vector<std::string>& words);

// `words` follow the program's name. --config is replaced by the options of its file
// (config_words.h). "An empty value means unset": removes `--name=` and `--name`
// followed by an empty word, where --name is an option of the command that takes one value (CLI11
// takes the next word as the value); error kUsage for --point. The two option sets after `--diff`
// lose leading dashes, which would make options of them. Other words stay, so that an unknown
// option is still an error.
std::vector<std::string> PrepareWords(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace halftone
