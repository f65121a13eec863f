#include "src/aoe/result_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/aoe/result_keys.h"
#include "src/base/error.h"
#include "src/base/printable.h"

namespace halftone {
namespace {

using nlohmann::ordered_json;

// Whole microseconds and thousandths of them are enough, and keep the file readable.
double Rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

double Percent(double before, double after) {
  // Computed from the figures in the file, so that a reader who does the sum gets the same.
  before = Rounded(before);
  after = Rounded(after);
  const double percent = after > 0 ? 100 * (before - after) / after : 0;
  // No "-0.00%": an unmeasurable loss is none.
  return std::abs(percent) < 0.005 ? 0.0 : percent;
}

ordered_json OperatorJson(const AoeOperatorResult& result) {
  ordered_json performance = ordered_json::object();
  for (const AoeTunePerformance& kind : result.performance) {
    performance[kind.kind] = {{kBeforeUs, Rounded(kind.before_us)},
                              {kAfterUs, Rounded(kind.after_us)},
                              {kImprovement, kind.improvement},
                              {kUpdateMode, kind.update_mode}};
  }
  return {{kOpName, result.name}, {kOpType, result.type}, {kTunePerformance, performance}};
}

ordered_json SummaryJson(const AoeRepoSummary& summary) {
  Check(IsConsistent(summary),
        fmt::format("counts of operators do not add up: total {}, hit {}, add {}, update {}, "
                    "reserved {}, unsatisfied {}",
                    summary.total, summary.hit, summary.add, summary.update, summary.reserved,
                    summary.unsatisfied));
  ordered_json counts = ordered_json::object();
  for (const AoeCountRow& row : kAoeCounts) {
    counts[row.key] = summary.*row.count;
  }
  return counts;
}

ordered_json ModelJson(const AoeModelResult& result) {
  ordered_json fields = ordered_json::object();
  if (result.baseline_ms) {
    fields[kBaselineMs] = Rounded(*result.baseline_ms);
  }
  if (result.result_ms) {
    fields[kResultMs] = Rounded(*result.result_ms);
  }
  if (!result.improvement.empty()) {
    fields[kModelImprovement] = result.improvement;
  }
  fields[result.job == kSgat ? kSgatTuningResult : kOpatTuningResult] = result.tuning_result;
  if (result.job == kOpat) {
    fields[kModifiedOperators] = ordered_json::array();
    for (const AoeOperatorResult& modified : result.modified_operators) {
      fields[kModifiedOperators].push_back(OperatorJson(modified));
    }
  }
  if (!result.failed_operators.empty()) {
    fields[kFailedOperators] = result.failed_operators;
  }
  if (result.summary) {
    fields[kSummary] = SummaryJson(*result.summary);
  }
  const ordered_json basic = {{kTuningName, result.tuning_name},
                              {kTuningTimeS, std::llround(result.tuning_time_s)}};
  ordered_json array = ordered_json::array();
  array.push_back({{kBasic, basic}});
  array.push_back({{result.job, fields}});
  return array;
}

}  // namespace

bool IsConsistent(const AoeRepoSummary& summary) {
  return summary.hit == summary.update + summary.reserved &&
         summary.total == summary.hit + summary.add + summary.unsatisfied;
}

std::string AoeImprovement(double before, double after) {
  return fmt::format("{:.2f}%", Percent(before, after));
}

bool IsAoeImprovement(double before, double after) {
  return Percent(before, after) > 0;
}

std::string FormatAoeResult(const AoeResultFile& file) {
  ordered_json document;
  if (file.tasks.size() == 1 && file.tasks.front().name.empty()) {
    document = ModelJson(file.tasks.front().result);
  } else {
    document = ordered_json::object();
    for (const AoeTask& task : file.tasks) {
      document[task.name] = ModelJson(task.result);
    }
  }
  // Names may hold any bytes; JSON cannot.
  return PrintableJson(document.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

std::string AoeResultFileName(std::string_view job, std::string_view timestamp, long process_id) {
  return fmt::format("aoe_result_{}_{}_pid{}.json", job == kSgat ? "sgat" : "opat", timestamp,
                     process_id);
}

}  // namespace halftone
