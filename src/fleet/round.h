// Submitting a round: which items are to do, packed into jobs of the engine.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/engine.h"
#include "src/fleet/fleet_folder.h"

namespace halftone {

// Results that `fleet resume` does again, beside the items without one.
struct ResumeMore {
  bool failed = false;  // TaskEnd::kFailed, kDied, a damaged result
  bool busy = false;    // IsBusy(), TaskEnd::kInconclusive
};

struct SubmitSettings {
  std::filesystem::path program;   // halftone
  std::vector<std::string> kinds;  // only these; empty: all
  std::filesystem::path scratch;   // of the tasks; empty: their TMPDIR
  std::function<void(std::string_view line)> say;
  std::function<bool()> stop_requested;  // for engines that run tasks while they are submitted
};

// Items whose tasks are queued or run, by the jobs of the round that the engine still has. A task
// that runs has several items, one after the other.
std::map<FleetItem, EngineTask> ActiveTasks(const FleetFolder& folder, FleetEngine& engine);

// Error kUsage: the plan has no kind of one of these names.
void RequireKinds(const FleetPlan& plan, const std::vector<std::string>& kinds);

// Checks SubmitSettings::kinds before anything is written. Error kUsage: an unknown kind; a kind
// with a constraint that `kinds` does not name, where the engine has this machine only.
void CheckKinds(const FleetPlan& plan, const FleetEngine& engine,
                const std::vector<std::string>& kinds);

// Submits, for each kind, the items that have no result and are not active: an array of as many
// elements as the engine takes, each element with every N-th item; behind it the merge of the
// kind's banks; behind all merges the report. Says a line for each kind. The result is the number
// of items submitted. Errors of CheckKinds() and of the engine.
std::size_t SubmitRound(const FleetFolder& folder, FleetEngine& engine, const ResumeMore& more,
                        const SubmitSettings& settings);

}  // namespace halftone
