// Commands whose options are read and checked as if they ran, and that then do nothing: for files
// that hold options of later runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

using DefineCommand = void (*)(CLI::App& app, int& exit_code);  // of a CommandRow

// What the command says of the words; empty: nothing is wrong with them. Commands that do not ask
// IsOnlyChecked() would run.
std::string ComplaintOf(DefineCommand define, std::string_view name,
                        std::vector<std::string> words);

// Whether the command has an option of this name, without dashes.
bool HasOption(DefineCommand define, std::string_view name);

// True: the callback of this command returns behind its checks, before it reads the network.
bool IsOnlyChecked(const CLI::App& app);

}  // namespace halftone
