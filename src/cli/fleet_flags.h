// Options that the commands of `halftone fleet` share, and checks that need other commands of the
// program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/parser_classes.h"
#include "src/fleet/fleet_folder.h"
#include "src/fleet/fleet_plan.h"
#include "src/fleet/round.h"
#include "src/fleet/status.h"

namespace halftone {

// Arguments of most commands.
struct FleetFlags {
  std::string folder;  // positional argument
  int round = 0;       // --round; 0: the last round
};

void AddFleetFlags(CLI::App& app, FleetFlags& flags);
// Opens the folder at the round. Errors as FleetFolder::Open() and FleetFolder::AtRound().
FleetFolder OpenFleet(const FleetFlags& flags);

// Adds --kinds.
CLI::Option* AddKindsFlag(CLI::App& app, std::vector<std::string>& kinds);

// Full path of this program. Error kIo.
std::filesystem::path ThisProgram();

// True if the command (tune or retune) has an option of this long name.
bool CommandTakes(std::string_view command, std::string_view option);

// Checks the options of each network and kind by dry runs (src/cli/checked_command.h) of `halftone
// tune` and, for options that only retune has, `halftone retune`. Error kUsage with the network,
// the kind and the message of the command.
void CheckTaskOptionsOf(const FleetPlan& plan);

// Exit code for the state of a round: 1 if a task failed; else 3 if an item is not finished or does
// not give what was asked; else 0.
int ExitCodeOf(const RoundStatus& status);

// Defines `fleet work` and `fleet merge`, which the jobs of an engine run.
void DefineFleetJobs(CLI::App& app, int& exit_code);

}  // namespace halftone
