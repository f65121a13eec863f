#include "src/cli/fleet_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <system_error>

#include "src/base/error.h"
#include "src/cli/command.h"
#include "src/cli/parser_message.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"
#include "src/fleet/status.h"

namespace halftone {
namespace {

struct CommandOfTask {
  std::string_view name;
  void (*define)(CLI::App& app, int& exit_code);
};

constexpr CommandOfTask kTaskCommands[] = {
    {"tune", DefineTuneCommand},
    {"retune", DefineRetuneCommand},
};

// A command that parses its words and does nothing with them.
class IdleCommand : public CLI::App {
 public:
  explicit IdleCommand(const CommandOfTask& command) : CLI::App("", std::string(command.name)) {
    command.define(*this, exit_code_);
  }

  // The sentence that the command would say of the words; empty: none.
  std::string ComplaintOf(std::vector<std::string> words) {
    std::ranges::reverse(words);  // the order that CLI11 wants of a vector
    try {
      parse(words);
    } catch (const CLI::ParseError& error) {
      return ParserMessage(*this, error);
    } catch (const Parsed&) {
    }
    return "";
  }

 protected:
  // Runs when all words are parsed and checked, before the command.
  void pre_callback() override { throw Parsed(); }

 private:
  struct Parsed {};

  int exit_code_ = 0;
};

// The sentence that `tune` would say of these options; empty: none.
std::string ComplaintOf(const FleetNetwork& network, const OptionList& options) {
  std::vector<std::string> words;
  for (const auto& [name, value] : options) {
    words.push_back(value == "true" ? "--" + name : fmt::format("--{}={}", name, value));
  }
  words.push_back("--model=" + network.model.string());
  return IdleCommand(kTaskCommands[0]).ComplaintOf(words);
}

}  // namespace

void AddFleetFlags(CLI::App& app, FleetFlags& flags) {
  app.add_option("folder", flags.folder, "Folder of the fleet, as FLEET.yaml names it")->required();
  RequireAtLeast(app.add_option("--round", flags.round, "Number of a round; without it the last"),
                 1);
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
  return IdleCommand(*row).get_option_no_throw(fmt::format("--{}", option)) != nullptr;
}

void CheckTuneOptionsOf(const FleetPlan& plan) {
  std::set<OptionList> checked;  // most networks differ in nothing but their samples
  for (const FleetItem& item : ItemsOf(plan)) {
    OptionList options = OptionsOf(plan, item);
    std::erase_if(options, [](const auto& option) { return option.first == "inputs"; });
    if (!checked.insert(options).second) {
      continue;
    }
    if (const std::string complaint = ComplaintOf(*plan.FindNetwork(item.network), options);
        !complaint.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("options of '{}' for kind '{}': {}; see halftone tune --help-all",
                              item.network, item.kind, complaint));
    }
  }
}

int ExitCodeOfRound(const FleetFolder& folder) {
  int exit_code = kExitDone;
  for (const ItemStatus& item : StatusOf(folder, nullptr).items) {
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
