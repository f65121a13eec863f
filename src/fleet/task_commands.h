// Command lines of a fleet's tasks, `halftone tune` and `halftone retune` with the options of a
// network, and the meanings of their exit codes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/fleet_plan.h"
#include "src/fleet/fleet_result.h"

namespace halftone {

// True if the command of halftone ("tune") has the option ("budget").
using TakesOption = std::function<bool(std::string_view command, std::string_view option)>;

// True for an option of a fleet that `halftone retune` has and `halftone tune` has not.
bool IsOfRetuneAlone(std::string_view option);

struct TaskPaths {
  std::filesystem::path program;   // full path of halftone
  std::filesystem::path bank;      // bank of the task, on the machine's own disk
  std::filesystem::path seed;      // merged bank for --seed_bank; empty: none
  std::filesystem::path output;    // folder for reports and points
  std::filesystem::path progress;  // --progress_file
};

// Words of `halftone tune`, without the options that only retune has.
std::vector<std::string> TuneWords(const FleetNetwork& network, const OptionList& options,
                                   const TaskPaths& paths);

// Words of `halftone retune`, which measures the front in the folder `shipped` again, without a
// search. Leaves out options that retune does not have.
std::vector<std::string> RetuneWords(const FleetNetwork& network, const OptionList& options,
                                     const TaskPaths& paths, const std::filesystem::path& shipped,
                                     const TakesOption& takes);

// Adapts the options to a run that continues after earlier runs of `spent_s` seconds. A time budget
// B becomes B - spent_s, but at least B / 2 or, if `spent_s` exceeds B, B^2 / (2 spent_s), and
// never less than B / 10. If the options have no limit, the default budget of tune is adapted in
// the same way. Returns the options unchanged if `spent_s` is 0.
OptionList WithRemainingBudget(OptionList options, double spent_s);

// Kinds of ends of a command.
enum class CommandEnd : std::uint8_t {
  kAnswered,     // it gave an answer, or an error that a repetition would give too
  kInterrupted,  // it was stopped; the next run continues from its bank
  kDied,         // it ended by a signal or a bug, and is tried again
};

struct CommandMeaning {
  CommandEnd what = CommandEnd::kDied;
  TaskEnd end = TaskEnd::kDied;  // end of the task, if `what` is kAnswered
};

CommandMeaning MeaningOf(int exit_code);

// Last line of `text` that begins with "error: ", without this prefix; if there is none, the last
// line that is not blank.
std::string LastError(std::string_view text);

}  // namespace halftone
