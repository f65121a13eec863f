// Plan of a fleet: the networks, the kinds of machine on which they are tuned, their options, and
// the engine that places the tasks. It is read from FLEET.yaml (src/fleet/fleet_file.h) and stored
// in the fleet's folder as plan.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halftone {

// Options of a command in order, without dashes: {"budget", "20s"}. A flag has the value "true".
using OptionList = std::vector<std::pair<std::string, std::string>>;

// The option as a word of a command line: "--budget=20s", "--search_again".
std::string CommandWord(const OptionList::value_type& option);

// Kind of machine: machines that give the same latencies, or any machine for a target whose
// latencies are predicted.
struct FleetKind {
  std::string name;        // valid as a file name
  std::string constraint;  // node constraint of the engine: "zen5", "avx512&big"; empty: any node
  bool exclusive = true;   // true: a task has its node to itself, because it measures latencies
  int cpus = 0;            // CPUs of a task that is not exclusive; 0: the engine's default
  OptionList options;

  friend bool operator==(const FleetKind&, const FleetKind&) = default;
};

struct FleetNetwork {
  std::string name;  // valid as a file name
  std::filesystem::path model;
  OptionList options;              // the defaults, overridden by the network's own options
  std::vector<std::string> kinds;  // never empty

  friend bool operator==(const FleetNetwork&, const FleetNetwork&) = default;
};

// Work of a round for each network.
enum class RoundTask : std::uint8_t {
  kTune,
  kRetune,  // checks whether the front of an earlier round still holds; if not, searches again
};

std::string_view NameOf(RoundTask task);

struct FleetPlan {
  RoundTask task = RoundTask::kTune;
  std::string engine = "slurm";
  OptionList engine_options;           // options of the engine's own command: {"partition", "cpu"}
  double checkpoint_s = 30;            // seconds between two checkpoints of a running task
  std::filesystem::path start_folder;  // working directory of the tasks' commands
  std::vector<FleetKind> kinds;
  std::vector<FleetNetwork> networks;

  // Null: there is none of this name.
  [[nodiscard]] const FleetKind* FindKind(std::string_view name) const;
  [[nodiscard]] const FleetNetwork* FindNetwork(std::string_view name) const;

  friend bool operator==(const FleetPlan&, const FleetPlan&) = default;
};

// Item: a network on a kind of machine. It has one task and one result.
struct FleetItem {
  std::string kind;
  std::string network;

  // NOLINTNEXTLINE(modernize-use-nullptr): no pointer is here
  friend auto operator<=>(const FleetItem&, const FleetItem&) = default;
};

// Items of the plan, in the order of kinds, then networks.
std::vector<FleetItem> ItemsOf(const FleetPlan& plan);

// Options of the item: those of the network, overridden by those of the kind. An option with the
// value "false" is a flag that is not given, and is left out.
OptionList OptionsOf(const FleetPlan& plan, const FleetItem& item);

// Sets each option of `of` in `options`: replaces its value there, or appends it.
void SetOptions(const OptionList& of, OptionList& options);

// Content of plan.json. Error kUsage for a text that is not UTF-8.
std::string PlanToJson(const FleetPlan& plan);
// Inverse of PlanToJson(); skips unknown members. Checks what is checked in FLEET.yaml, above all
// that no name leads out of the fleet's folder. Error kUsage, "<where>: ...".
FleetPlan PlanFromJson(std::string_view text, std::string_view where);

}  // namespace halftone
