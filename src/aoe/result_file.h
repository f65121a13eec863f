// The result file of an AOE job, aoe_result_<opat|sgat>_<timestamp>_pid<pid>.json: a writer, and a
// reader for all releases of AOE. Units are part of the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// One strategy kind of an operator: "Schedule", "Format".
struct AoeTunePerformance {
  std::string kind;
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

// Operator counts by change of the bank entry. hit = update + reserved, and total = hit + add +
// unsatisfied.
struct AoeRepoSummary {
  std::int64_t total = 0;
  std::int64_t hit = 0;
  std::int64_t add = 0;
  std::int64_t update = 0;
  std::int64_t reserved = 0;
  std::int64_t unsatisfied = 0;

  friend bool operator==(const AoeRepoSummary&, const AoeRepoSummary&) = default;
};

// True if both sums hold.
bool IsConsistent(const AoeRepoSummary& summary);

struct AoeModelResult {
  std::string job = "OPAT";  // "OPAT", "SGAT": the key of the second object
  std::string tuning_name;
  double tuning_time_s = 0;
  std::optional<double> baseline_ms;  // empty until it is measured
  std::optional<double> result_ms;
  std::string improvement;    // "25.00%"
  std::string tuning_result;  // "tuning successful", "tuning failed: ...", "tuning incomplete"
  std::vector<AoeOperatorResult> modified_operators;
  std::vector<std::string> failed_operators;
  std::optional<AoeRepoSummary> summary;

  friend bool operator==(const AoeModelResult&, const AoeModelResult&) = default;
};

struct AoeTask {
  std::string name;  // "report_20260101120000123_1"; empty in the one-model layout
  AoeModelResult result;

  friend bool operator==(const AoeTask&, const AoeTask&) = default;
};

struct AoeResultFile {
  std::vector<AoeTask> tasks;
};

// (before - after) / after in percent, two decimals: "25.00%" for 12.5 and 10. A speed-up, not the
// share of time saved. Inputs are rounded to six decimals, as in the file. "0.00%" where `after` is
// not above zero.
std::string AoeImprovement(double before, double after);

// True above "0.00%".
bool IsAoeImprovement(double before, double after);

// JSON text: the one-model layout for one unnamed task; else the multi-model layout, by names.
// Error kInternal for a summary of inconsistent counts.
std::string FormatAoeResult(const AoeResultFile& file);

// Reads the one-model, the multi-model and the older layout; ignores unknown keys. Error kUsage
// naming `file_name` and the key: no JSON, another structure, a value of another type, a negative
// count. Inconsistent counts are read unchanged: only our own files promise consistency.
AoeResultFile ParseAoeResult(std::string_view content, std::string_view file_name);

// "aoe_result_opat_20260102030405678_pid123.json"; `job` is "OPAT" or "SGAT".
std::string AoeResultFileName(std::string_view job, std::string_view timestamp, long process_id);

}  // namespace halftone
