// Task of a fleet: tunes one network on one machine, from its last checkpoint to its published
// result.
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
  std::filesystem::path program;  // full path of halftone
  // Folder on the machine's own disk, because SQLite does not work on a network file system.
  std::filesystem::path scratch;
  TakesOption takes;
  std::function<bool()> stop_requested;
  std::function<void(std::string_view line)> say;
};

enum class TaskOutcome : std::uint8_t {
  kPublished,
  kThereAlready,  // another copy of the task published its result first
  kInterrupted,   // stopped; the next run continues from the bank in partial/
};

// Runs the command of the item until it answers, at most three times if it dies. Makes a checkpoint
// every FleetPlan::checkpoint_s. Then publishes the result (FleetFolder::Publish()). Several copies
// of a task wait for each other on one machine; on several machines all run, and the first
// published result counts. Error kIo if the result cannot be published; it stays on the machine's
// disk, and the next run of this task on this machine publishes it.
TaskOutcome RunTask(const FleetFolder& folder, const FleetPlan& plan, const FleetItem& item,
                    const TaskPlace& place, const WorkSettings& settings);

// Runs the tasks of an element: the items number `element`, `element + stride`, ... of the list
// that have no result. True: each has a result now; false: interrupted. An error of one task does
// not keep the next from running, unless it is the third in a row. Errors as RunTask(); kUsage for
// a list that does not fit the plan.
bool RunElement(const FleetFolder& folder, const std::string& kind,
                const std::filesystem::path& list, std::size_t element, std::size_t stride,
                const WorkSettings& settings);

}  // namespace halftone
