// Result file of an AOE job, aoe_result_<opat|sgat>_<timestamp>_pid<pid>.json: a writer, and a
// reader for the files of all releases of AOE. Keys contain the units of their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Result of an operator for one kind of tuning strategy.
struct AoeTunePerformance {
  std::string kind;  // "Schedule", "Format"
  double before_us = 0;
  double after_us = 0;
  std::string improvement;  // "25.00%"
  std::string update_mode;  // "add", "update"

  friend bool operator==(const AoeTunePerformance&, const AoeTunePerformance&) = default;
};

struct AoeOperatorResult {
  std::string name;
  std::string type;
  std::vector<AoeTunePerformance> performance;

  friend bool operator==(const AoeOperatorResult&, const AoeOperatorResult&) = default;
};

// Numbers of operators by the change of their bank entries. hit = update + reserved, and total =
// hit + add + unsatisfied.
struct AoeRepoSummary {
  std::int64_t total = 0;
  std::int64_t hit = 0;
  std::int64_t add = 0;
  std::int64_t update = 0;
  std::int64_t reserved = 0;
  std::int64_t unsatisfied = 0;

  friend bool operator==(const AoeRepoSummary&, const AoeRepoSummary&) = default;
};

// True if both equations hold.
bool IsConsistent(const AoeRepoSummary& summary);

struct AoeModelResult {
  std::string job = "OPAT";  // "OPAT", "SGAT": the key of the second object
  std::string tuning_name;
  double tuning_time_s = 0;
  std::optional<double> baseline_ms;  // empty: not measured yet
  std::optional<double> result_ms;    // empty: not measured yet
  std::string improvement;            // "25.00%"
  std::string tuning_result;  // "tuning successful", "tuning failed: ...", "tuning incomplete"
  std::vector<AoeOperatorResult> modified_operators;
  std::vector<std::string> failed_operators;
  std::optional<AoeRepoSummary> summary;

  friend bool operator==(const AoeModelResult&, const AoeModelResult&) = default;
};

struct AoeTask {
  std::string name;  // "report_20260101120000123_1"; empty: the layout for one model
  AoeModelResult result;

  friend bool operator==(const AoeTask&, const AoeTask&) = default;
};

struct AoeResultFile {
  std::vector<AoeTask> tasks;
};

// Speed-up (before - after) / after in percent with two decimals: "25.00%" for 12.5 and 10. The
// arguments are first rounded to six decimals, as in the file. "0.00%" unless `after` is above 0.
std::string AoeImprovement(double before, double after);

// True if AoeImprovement() is above "0.00%".
bool IsAoeImprovement(double before, double after);

// JSON text: the layout for one model if there is one task without a name, else the layout for
// several models, with the names of the tasks as keys. Error kInternal for inconsistent counts.
std::string FormatAoeResult(const AoeResultFile& file);

// Reads the layout for one model, the layout for several, and the older layout; ignores unknown
// keys. Inconsistent counts are accepted, because files of AOE may have them. Error kUsage, naming
// `file_name` and the key, for another text, another structure, a value of another type, and a
// negative count.
AoeResultFile ParseAoeResult(std::string_view content, std::string_view file_name);

// "aoe_result_opat_20260102030405678_pid123.json"; `job` is "OPAT" or "SGAT".
std::string AoeResultFileName(std::string_view job, std::string_view timestamp, long process_id);

}  // namespace halftone
