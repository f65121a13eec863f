// Commands that only read and check their options, as if they ran: for files that hold options of
// later runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

using DefineCommand = void (*)(CLI::App& app, int& exit_code);  // of a CommandRow

// The complaint of the command about the words; empty: nothing is wrong with them. A command that
// does not ask IsOnlyChecked() would run.
std::string ComplaintOf(DefineCommand define, std::string_view name,
                        std::vector<std::string> words);

// True if the command has an option of this name, without dashes.
bool HasOption(DefineCommand define, std::string_view name);

// True: the callback of this command returns after its checks, before it reads the network.
bool IsOnlyChecked(const CLI::App& app);

}  // namespace halftone
