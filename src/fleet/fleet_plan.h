// Plan of a fleet: the networks, the kinds of machine they are tuned on, the options of each, and
// the engine that places the tasks. Read from the user's FLEET.yaml (src/fleet/fleet_file.h), kept
// in the fleet's folder as plan.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halftone {

// Options of `halftone tune` without dashes, in order: {"budget", "20s"}. A flag has the value
// "true".
using OptionList = std::vector<std::pair<std::string, std::string>>;

// The option as a word of a command line: "--budget=20s", "--search_again".
std::string OptionWord(const OptionList::value_type& option);

// A class of machines that give the same latencies, or a target that needs no particular machine.
struct FleetKind {
  std::string name;        // a file name
  std::string constraint;  // of the engine: "zen5", "avx512&big"; empty: any node
  bool exclusive = true;   // a task has its node for itself: latencies are measured there
  int cpus = 0;            // of a task that is not exclusive; 0: what the engine gives
  OptionList options;

  friend bool operator==(const FleetKind&, const FleetKind&) = default;
};

struct FleetNetwork {
  std::string name;  // a file name
  std::filesystem::path model;
  OptionList options;              // defaults first; an option of the kind wins over one of here
  std::vector<std::string> kinds;  // never empty

  friend bool operator==(const FleetNetwork&, const FleetNetwork&) = default;
};

// Work of a round for each network.
enum class RoundTask : std::uint8_t {
  kTune,
  kRetune,  // asks whether what the round before it shipped still holds, and searches where not
};

std::string_view NameOf(RoundTask task);

struct FleetPlan {
  RoundTask task = RoundTask::kTune;
  std::string engine = "slurm";
  OptionList engine_options;           // {"partition", "cpu"}: of the engine's own command
  double checkpoint_s = 30;            // a running task's bank is copied into the folder this often
  std::filesystem::path start_folder;  // commands start in it: paths in options are relative to it
  std::vector<FleetKind> kinds;
  std::vector<FleetNetwork> networks;

  // Null when there is none.
  [[nodiscard]] const FleetKind* FindKind(std::string_view name) const;
  [[nodiscard]] const FleetNetwork* FindNetwork(std::string_view name) const;

  friend bool operator==(const FleetPlan&, const FleetPlan&) = default;
};

// A network on a kind of machine: one task, one result.
struct FleetItem {
  std::string kind;
  std::string network;

  friend auto operator<=>(const FleetItem&, const FleetItem&) = default;
};

// Items in the order of kinds, then networks.
std::vector<FleetItem> ItemsOf(const FleetPlan& plan);

// Options of the item: those of the network, overruled by those of the kind, without those that are
// "false": flags that are not given.
OptionList OptionsOf(const FleetPlan& plan, const FleetItem& item);

// Sets each option of `of` in `options`: replaces it there, or appends it.
void SetOptions(const OptionList& of, OptionList& options);

// Error kUsage: a text that is not UTF-8.
std::string PlanToJson(const FleetPlan& plan);
// Error kUsage, "<where>: ...": all that FLEET.yaml may not contain either, above all names that
// lead out of the fleet's folder. Unknown members are skipped.
FleetPlan PlanFromJson(std::string_view text, std::string_view where);

}  // namespace halftone
