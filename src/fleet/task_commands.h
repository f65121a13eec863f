// Command lines of a fleet's tasks: `halftone tune` and `halftone retune` with the options of a
// network, and the meaning of their exit codes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/fleet_plan.h"
#include "src/fleet/fleet_result.h"

namespace halftone {

// True if a command of halftone ("tune") has an option ("budget").
using TakesOption = std::function<bool(std::string_view command, std::string_view option)>;

// True if `halftone retune` has the option, `tune` does not, and a fleet passes it on.
bool IsOfRetuneAlone(std::string_view option);

struct TaskPaths {
  std::filesystem::path program;   // halftone
  std::filesystem::path bank;      // of the task, on its own disk
  std::filesystem::path seed;      // a merged bank, which is only read; empty: none
  std::filesystem::path output;    // reports and points
  std::filesystem::path progress;  // --progress_file
};

// Leaves out the options of `retune` alone.
std::vector<std::string> TuneWords(const FleetNetwork& network, const OptionList& options,
                                   const TaskPaths& paths);

// Measures the front in the folder `shipped` again, without a search. Options that `retune` does
// not have are left out.
std::vector<std::string> RetuneWords(const FleetNetwork& network, const OptionList& options,
                                     const TaskPaths& paths, const std::filesystem::path& shipped,
                                     const TakesOption& takes);

// The options for a run that goes on after `spent_s` seconds of earlier ones. A budget in time
// becomes the remaining time, but at least half of the budget; once `spent_s` exceeds the budget,
// that half shrinks in proportion, down to a tenth. Without any limit, the default budget of tune
// is taken as given. Other options stay, and all of them for `spent_s` 0.
OptionList WithRemainingBudget(OptionList options, double spent_s);

// Meaning of the end of a command for its task.
enum class CommandEnd : std::uint8_t {
  kAnswered,     // `end` says how
  kInterrupted,  // it goes on from its bank
  kDied,         // by a signal or a bug: once more
};

struct CommandMeaning {
  CommandEnd what = CommandEnd::kDied;
  TaskEnd end = TaskEnd::kDied;
};

CommandMeaning MeaningOf(int exit_code);

// The last line of `text` that begins with "error: ", without that; else its last line.
std::string LastError(std::string_view text);

}  // namespace halftone
