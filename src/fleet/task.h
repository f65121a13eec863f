// Task of a fleet: one network on one machine, from its last checkpoint to its published result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "src/fleet/engine.h"
#include "src/fleet/fleet_folder.h"
#include "src/fleet/task_commands.h"

namespace halftone {

struct WorkSettings {
  std::filesystem::path program;  // halftone, by its full path
  // A folder on the machine's own disk: SQLite does not work on a network file system.
  std::filesystem::path scratch;
  TakesOption takes;
  std::function<bool()> stop_requested;
  std::function<void(std::string_view line)> say;
};

enum class TaskOutcome : std::uint8_t {
  kPublished,
  kThereAlready,  // by another copy of the task: its result counts
  kInterrupted,   // stop_requested: the bank is in partial/, the task goes on from there
};

// Runs the command of the item until it gives an answer, at most three times where it dies, copies
// its bank into partial/ every FleetPlan::checkpoint_s, and publishes: a copy beside the results,
// flushed to the disk, then renamed. Copies of a task on one machine wait for each other; on two
// machines both run, and the first result counts. Error kIo: the result could not be published; it
// stays on the machine's disk, and the next run of this task on this machine publishes it.
TaskOutcome RunTask(const FleetFolder& folder, const FleetPlan& plan, const FleetItem& item,
                    const TaskPlace& place, const WorkSettings& settings);

// Runs the items of an element: numbers `element`, `element + stride`, ... of the list, except
// those that have a result. True: all have one now; false: interrupted. Errors as for RunTask().
bool RunElement(const FleetFolder& folder, const std::string& kind,
                const std::filesystem::path& list, std::size_t element, std::size_t stride,
                const WorkSettings& settings);

}  // namespace halftone
