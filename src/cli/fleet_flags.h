// Options that commands of `halftone fleet` share, and their access to the rest of the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/fleet_folder.h"
#include "src/fleet/fleet_plan.h"
#include "src/fleet/round.h"
#include "src/fleet/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace halftone {

// Folder, a positional argument, and round of most commands.
struct FleetFlags {
  std::string folder;
  int round = 0;  // 0: the last
};

void AddFleetFlags(CLI::App& app, FleetFlags& flags);
FleetFolder OpenFleet(const FleetFlags& flags);

// --kinds
CLI::Option* AddKindsFlag(CLI::App& app, std::vector<std::string>& kinds);

// This program, by its full path. Error kIo.
std::filesystem::path ThisProgram();

// True if the command has an option of this long name.
bool CommandTakes(std::string_view command, std::string_view option);

// Reads and checks the options of each network and kind, as `halftone tune` does before it reads
// the network, or `halftone retune` for options that it alone has. Error kUsage with the network
// and the sentence of the command.
void CheckTaskOptionsOf(const FleetPlan& plan);

// Exit code for the state of a round: 0 all is done and good; 1 a task failed; 3 bounds are not
// met, or something is not finished.
int ExitCodeOf(const RoundStatus& status);

// Defines fleet work and fleet merge, which jobs of an engine call.
void DefineFleetJobs(CLI::App& app, int& exit_code);

}  // namespace halftone
