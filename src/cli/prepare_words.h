// Corrections of the command line before parsing, for cases that CLI11 treats otherwise than the
// specification.
#pragma once

#include <string>
#include <vector>

#include "src/cli/parser_classes.h"

namespace halftone {

// Error kUsage if a word in the place of a command or subcommand names none. CLI11 would show the
// general help for `halftone foo --help`.
void RequireKnownCommand(const CLI::App& app, const std::vector<std::string>& words);

// Corrects the words after the program's name:
//
//   --config=FILE                   replaced by the options of the file (config_words.h)
//   `--name=` and `--name ''`       removed if the option takes one value, because an empty value
//                                   means "not given"; Error kUsage for --point
//   the two words after `--diff`    their leading dashes are removed, so that they are no options
//
// Other words stay.
std::vector<std::string> PrepareWords(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace halftone
