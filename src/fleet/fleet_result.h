// Result of a task of a fleet, stored as result.json. Status and reports read this file of a few
// kilobytes and not the front. The presence of the file marks the task as finished.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

enum class TaskEnd : std::uint8_t {
  kDone,           // a front that meets and promises the bounds of the goal, if there are any
  kBoundsNotMet,   // a front, but no point meets the bounds, or promises them
  kGateFailed,     // a front, but a gate of --fail_if failed
  kHolds,          // retune: the shipped front holds
  kInconclusive,   // retune: too uncertain to tell whether the shipped front holds
  kSearchedAgain,  // retune: the shipped front did not hold, and a new search replaced it
  kFailed,         // error in the network, its data or its options, which another try would repeat
  kDied,           // the program ended by a signal or a bug in every try
};

std::string_view NameOf(TaskEnd end);
// True if the task gave a front that meets what was asked.
bool IsGood(TaskEnd end);
// True if the task gave a front that does not meet what was asked, or is not known to meet it.
bool HasFrontOnly(TaskEnd end);

// Point of the front.
struct FleetPoint {
  double speed_up = 1;  // speed-up over float32, with its 95 % interval
  double speed_up_low = 1;
  double speed_up_high = 1;
  double latency_s = 0;
  bool chosen = false;
  // Finite means of metrics by name: "sqnr_db", "rel_l2".
  std::map<std::string, double> accuracy;
  std::string digest;  // digest of the plan
  std::string folder;  // "point_1"

  friend bool operator==(const FleetPoint&, const FleetPoint&) = default;
};

struct FleetResult {
  std::string network;
  std::string kind;
  TaskEnd end = TaskEnd::kDone;
  int exit_code = 0;   // exit code of the command; 128 + signal
  std::string reason;  // one sentence: the error, or the verdict

  std::string node;    // TaskPlace::node
  std::string job;     // TaskPlace::job
  int attempts = 1;    // starts of the last command, not counting orderly interruptions
  std::string begin;   // begin of the last run of the task: UTC, ISO 8601
  double seconds = 0;  // duration of that run

  // The remaining members come from front.json and retune.json; empty without these.
  std::string version;  // version of halftone
  std::string cpu;      // Workload::cpu: "AMD EPYC ..."
  std::string isa;
  std::string target;                 // "host"
  std::optional<double> other_cores;  // mean number of cores that other programs used meanwhile
  std::string model_hash;
  std::int64_t samples = 0;              // number of search samples
  double search_s = 0;                   // duration of the search
  std::int64_t measured = 0;             // number of plans that the task measured
  std::int64_t known = 0;                // number of plans from the bank
  std::optional<double> reference_s;     // latency of float32
  std::optional<double> reference_top1;  // top-1 accuracy of float32; empty: no labels
  std::vector<FleetPoint> points;        // fastest first
  std::string retune_verdict;            // round of retune: one sentence about what moved

  friend bool operator==(const FleetResult&, const FleetResult&) = default;
};

// Largest FleetResult::other_cores of a result that does not count as busy. Busy results are
// measured again on request.
inline constexpr double kBusyOtherCores = 0.25;
bool IsBusy(const FleetResult& result);

std::string ResultToJson(const FleetResult& result);
// Inverse of ResultToJson(); skips unknown members. Error kUsage, "<where>: ...".
FleetResult ResultFromJson(std::string_view text, std::string_view where);

// Sets the members that front.json (`tune --output`) has. Does nothing if the file is missing.
// Error kUsage for a damaged file.
void AddFront(const std::filesystem::path& front_json, FleetResult& result);
// Replaces the measurements of the points, which AddFront() set, by those of retune.json (`retune
// --output`), and sets retune_verdict. Error kUsage for a damaged file, or one of another front.
void AddRetune(const std::filesystem::path& retune_json, FleetResult& result);

}  // namespace halftone
