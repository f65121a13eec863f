// Dry run of a command, which reads and checks its options and does no work. It serves to check
// files with options of later runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/parser_classes.h"

namespace halftone {

using DefineCommand = void (*)(CLI::App& app, int& exit_code);  // CommandRow::define

// Message of the command about a fault in the words; empty: there is none. Requires a command whose
// callback asks IsOnlyChecked(); any other command would run.
std::string ComplaintOf(DefineCommand define, std::string_view name,
                        std::vector<std::string> words);

// True if the command has an option of this name, without dashes.
bool HasOption(DefineCommand define, std::string_view name);

// True in a dry run: the callback of the command must return after its checks, before it reads the
// network.
bool IsOnlyChecked(const CLI::App& app);

}  // namespace halftone
