#include "src/cli/fleet_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <system_error>

#include "src/base/error.h"
#include "src/cli/checked_command.h"
#include "src/cli/command.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"
#include "src/fleet/task_commands.h"

namespace halftone {
namespace {

struct CommandOfTask {
  std::string_view name;
  DefineCommand define;
};

constexpr CommandOfTask kTaskCommands[] = {
    {"tune", DefineTuneCommand},
    {"retune", DefineRetuneCommand},
};

// While it lives, relative paths begin at `folder`.
class InFolder {
 public:
  // Error kUsage: there is no such folder.
  explicit InFolder(const std::filesystem::path& folder)
      : before_(std::filesystem::current_path()) {
    std::error_code code;
    std::filesystem::current_path(folder, code);
    if (code) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("no folder '{}': it held the file that was submitted, and paths in "
                              "options start there; put it back, or submit another fleet",
                              folder.string()));
    }
  }

  ~InFolder() {
    std::error_code code;
    std::filesystem::current_path(before_, code);
  }

  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::filesystem::path before_;
};

// The sentence that the commands of a task would say of these options; empty: none.
std::string ComplaintOfTask(const FleetNetwork& network, const OptionList& options) {
  std::vector<std::string> of_tune;
  std::vector<std::string> of_retune;
  for (const auto& option : options) {
    (IsOfRetuneAlone(option.first) ? of_retune : of_tune).push_back(CommandWord(option));
  }
  of_tune.push_back("--model=" + network.model.string());
  of_tune.emplace_back("--no_bank");
  std::string complaint = ComplaintOf(DefineTuneCommand, "tune", of_tune);
  if (!complaint.empty() || of_retune.empty()) {
    return complaint;
  }
  of_retune.push_back("--model=" + network.model.string());
  return ComplaintOf(DefineRetuneCommand, "retune", of_retune);
}

}  // namespace

void AddFleetFlags(CLI::App& app, FleetFlags& flags) {
  app.add_option("folder", flags.folder, "Folder of the fleet, as FLEET.yaml names it")->required();
  RequireRange(app.add_option("--round", flags.round, "Number of a round; without it the last"),
               WholeRange{1, limits::kMostRounds});
}

FleetFolder OpenFleet(const FleetFlags& flags) {
  const FleetFolder folder = FleetFolder::Open(flags.folder);
  return flags.round == 0 ? folder : folder.AtRound(flags.round);
}

CLI::Option* AddKindsFlag(CLI::App& app, std::vector<std::string>& kinds) {
  return app.add_option("--kinds", kinds, "Only these kinds of machine, with commas between")
      ->delimiter(',')
      ->allow_extra_args(false);
}

std::filesystem::path ThisProgram() {
  std::error_code code;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code) {
    throw Error(ErrorKind::kIo, fmt::format("the path of this program is not known: /proc/self/exe "
                                            "cannot be read: {}",
                                            code.message()));
  }
  return program;
}

bool CommandTakes(std::string_view command, std::string_view option) {
  const auto* const row = std::ranges::find(kTaskCommands, command, &CommandOfTask::name);
  Check(row != std::end(kTaskCommands), "tasks run commands of the table");
  return HasOption(row->define, option);
}

void CheckTaskOptionsOf(const FleetPlan& plan) {
  const InFolder folder(plan.start_folder);  // where tasks run
  std::set<OptionList> checked;              // most networks differ in nothing but their samples
  for (const FleetItem& item : ItemsOf(plan)) {
    const OptionList options = OptionsOf(plan, item);
    OptionList key = options;
    std::erase_if(key, [](const auto& option) { return option.first == "inputs"; });
    if (!checked.insert(key).second) {
      continue;
    }
    if (const std::string complaint = ComplaintOfTask(*plan.FindNetwork(item.network), options);
        !complaint.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("options of '{}' for kind '{}': {}; see halftone tune --help-all",
                              item.network, item.kind, complaint));
    }
  }
}

int ExitCodeOf(const RoundStatus& status) {
  int exit_code = kExitDone;
  for (const ItemStatus& item : status.items) {
    if (item.state == ItemState::kFailed) {
      return kExitFailure;
    }
    if (item.state != ItemState::kGood) {
      exit_code = kExitNoneMeetsBound;
    }
  }
  return exit_code;
}

}  // namespace halftone
