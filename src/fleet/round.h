// Submission of a round: packs its unfinished items into jobs of the engine.
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

// Items with a result that `fleet resume` does again, beside the items without one.
struct ResumeMore {
  bool failed = false;  // TaskEnd::kFailed and kDied, and damaged results
  bool busy = false;    // IsBusy(), and TaskEnd::kInconclusive
};

struct SubmitSettings {
  std::filesystem::path program;   // full path of halftone
  std::vector<std::string> kinds;  // kinds to submit; empty: all
  std::filesystem::path scratch;   // scratch folder of the tasks; empty: their TMPDIR
  std::function<void(std::string_view line)> say;
  std::function<bool()> stop_requested;  // EngineJob::stop_requested
};

// Items of the round whose tasks wait or run in the engine. A task may have several items, which it
// does one after the other; each of them is in the result.
std::map<FleetItem, EngineTask> ActiveTasks(const FleetFolder& folder, FleetEngine& engine);

// Error kUsage if the plan does not have one of these kinds.
void RequireKinds(const FleetPlan& plan, const std::vector<std::string>& kinds);

// Checks SubmitSettings::kinds before anything is written. Errors as RequireKinds(). Also kUsage if
// `kinds` is empty although the engine runs on this machine only and a kind has a constraint.
void CheckKinds(const FleetPlan& plan, const FleetEngine& engine,
                const std::vector<std::string>& kinds);

// Submits the items that have no result and are not active. Each kind has one job of N elements, at
// most as many as the engine takes; element I does every N-th item from the I-th on. When that job
// has ended, a second job merges the kind's banks. When all merges have ended, a last job writes
// the report. Says a line for each kind. Returns the number of submitted items. Errors of
// CheckKinds() and of the engine.
std::size_t SubmitRound(const FleetFolder& folder, FleetEngine& engine, const ResumeMore& more,
                        const SubmitSettings& settings);

}  // namespace halftone
