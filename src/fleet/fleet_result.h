// Result of a task of a fleet: result.json, a few kilobytes that status and reports read in place
// of the front. Its presence marks the task as finished.
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
  kDone,           // a front, and the bounds of the goal, if there were any, are met and promised
  kBoundsNotMet,   // a front, but nothing meets the bounds, or not with the confidence
  kGateFailed,     // a front, and a gate of --fail_if failed
  kHolds,          // retune: what was shipped holds
  kInconclusive,   // retune: too uncertain to tell whether it holds
  kSearchedAgain,  // retune: it did not hold, and a new search found what is in the front
  kFailed,         // the network, its data or its options: another try would end the same way
  kDied,           // the program ended by a signal or a bug, as often as it was tried
};

std::string_view NameOf(TaskEnd end);
// True if the task gave what it was for: a front that meets what was asked.
bool IsGood(TaskEnd end);
// True if it gave a front that does not meet what was asked, or is not known to.
bool HasFrontOnly(TaskEnd end);

// A point of the front.
struct FleetPoint {
  double speed_up = 1;  // over float32
  double speed_up_low = 1;
  double speed_up_high = 1;
  double latency_s = 0;
  bool chosen = false;
  // Mean of each metric by name: "sqnr_db", "rel_l2". One that is not finite is not kept.
  std::map<std::string, double> accuracy;
  std::string digest;  // of the plan
  std::string folder;  // "point_1"

  friend bool operator==(const FleetPoint&, const FleetPoint&) = default;
};

struct FleetResult {
  std::string network;
  std::string kind;
  TaskEnd end = TaskEnd::kDone;
  int exit_code = 0;   // of the command; 128 + signal
  std::string reason;  // one sentence: the error, the verdict

  std::string node;    // host, or the engine's name of it
  std::string job;     // "17_3"; empty for the local engine
  int attempts = 1;    // runs of the command, those that died or were interrupted included
  std::string begin;   // UTC, ISO 8601, of the last attempt
  double seconds = 0;  // it took

  // The others are of front.json; empty where there is none.
  std::string version;  // of halftone
  std::string cpu;      // "AMD EPYC ..." as the bank names it
  std::string isa;
  std::string target;                 // "host"
  std::optional<double> other_cores;  // mean number of cores that others used while it measured
  std::string model_hash;
  std::int64_t samples = 0;              // of the search
  double search_s = 0;                   // seconds
  std::int64_t measured = 0;             // plans run by the task
  std::int64_t known = 0;                // plans that the bank knew
  std::optional<double> reference_s;     // latency of float32
  std::optional<double> reference_top1;  // where there are labels
  std::vector<FleetPoint> points;        // fastest first
  std::string retune_verdict;            // of a round of retune: what moved, one sentence

  friend bool operator==(const FleetResult&, const FleetResult&) = default;
};

// Cores used by others beside a measurement above which a result counts as busy: it is
// measured again on request.
inline constexpr double kBusyOtherCores = 0.25;
bool IsBusy(const FleetResult& result);

std::string ResultToJson(const FleetResult& result);
// Error kUsage, "<where>: ..."; unknown members are skipped.
FleetResult ResultFromJson(std::string_view text, std::string_view where);

// Fills in what front.json (`tune --output`) says; a folder without one leaves the result as it is.
// Error kUsage: it is damaged.
void AddFront(const std::filesystem::path& front_json, FleetResult& result);
// Puts what `retune --output` measured again (retune.json) in place of the same points of
// AddFront(), and its findings into retune_verdict. Error kUsage: it is damaged, or of another
// front.
void AddRetune(const std::filesystem::path& retune_json, FleetResult& result);

}  // namespace halftone
