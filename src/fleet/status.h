// State of a round: the state of each item, the progress of running tasks, and reasons of failures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/engine.h"
#include "src/fleet/fleet_folder.h"

namespace halftone {

enum class ItemState : std::uint8_t {
  kRunning,
  kQueued,
  kNotSubmitted,  // has no result and is not in the queue; `fleet resume` submits it
  kGood,          // IsGood()
  kNotGood,       // HasFrontOnly()
  kFailed,        // another end, or a damaged result
};

struct ItemStatus {
  FleetItem item;
  ItemState state = ItemState::kNotSubmitted;
  // Progress (kRunning), reason of the engine (kQueued), or else end and reason of the result.
  std::string text;
};

struct RoundStatus {
  // True: a waiting command runs the items one after the other, so that the items in the state
  // kNotSubmitted follow without `fleet resume`.
  bool has_follower = false;
  std::vector<ItemStatus> items;  // in the order of the plan
  // Message if the engine does not answer; then only files tell which items run.
  std::string engine_error;
};

// Reads the folder, and asks the engine (null: none) for its tasks.
RoundStatus StatusOf(const FleetFolder& folder, FleetEngine* engine);

// Text for the screen: a table of kinds and states; then the running, the failed and the not good
// items with their texts, at most `most` of each.
std::string FormatStatus(const FleetFolder& folder, const RoundStatus& status, std::size_t most);

// JSON: {"format":1,"fleet":...,"round":1,"engine_error":...,
//        "items":[{"kind":...,"network":...,"state":...,"text":...}]}
std::string StatusToJson(const FleetFolder& folder, const RoundStatus& status);

}  // namespace halftone
