// State of a round: what is done, what runs and how far it is, what waits, what failed and why.
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
  kNotSubmitted,  // neither a result nor a place in the queue: `fleet resume` submits it
  kGood,
  kNotGood,  // a front that does not meet what was asked
  kFailed,
};

struct ItemStatus {
  FleetItem item;
  ItemState state = ItemState::kNotSubmitted;
  std::string text;  // of kRunning the progress, of kQueued the engine's reason, else the result's
};

struct RoundStatus {
  // The engine runs one item after the other while a command waits, so that items still to do
  // follow.
  bool has_follower = false;
  std::vector<ItemStatus> items;  // in the order of the plan
  std::string engine_error;       // the engine does not answer: what runs is known by files only
};

// Reads the folder, and asks the engine, if there is one, what it has. Damaged results count as
// failed, with the error as text.
RoundStatus StatusOf(const FleetFolder& folder, FleetEngine* engine);

// Lines for the screen: a table of kinds and states, then what runs, then what failed with its
// reason, at most `most` lines of each.
std::string FormatStatus(const FleetFolder& folder, const RoundStatus& status, std::size_t most);

// {"format":1,"fleet":...,"round":1,"engine_error":...,
//  "items":[{"kind":...,"network":...,"state":...,"text":...}]}
std::string StatusToJson(const FleetFolder& folder, const RoundStatus& status);

}  // namespace halftone
