#include "src/report/outcome.h"

#include <algorithm>

#include "src/base/error.h"
#include "src/report/front_rows.h"
#include "src/report/tune_summary.h"

namespace halftone {
namespace {

struct EndRow {
  RunEnd end;
  std::string_view name;
};

constexpr EndRow kEnds[] = {
    {RunEnd::kDone, "done"},
    {RunEnd::kInterrupted, "interrupted"},
    {RunEnd::kNoneMeets, "none_meets"},
    {RunEnd::kGateFailed, "gate_failed"},
};

RunEnd EndOf(const TuneSummary& summary, const std::vector<GateResult>& gates) {
  if (summary.search.end == SearchEnd::kUser) {
    return RunEnd::kInterrupted;
  }
  if (!summary.front.chosen) {
    return RunEnd::kNoneMeets;
  }
  return std::ranges::all_of(gates, &GateResult::passed) ? RunEnd::kDone : RunEnd::kGateFailed;
}

}  // namespace

std::string_view NameOf(RunEnd end) {
  const auto* const row = std::ranges::find(kEnds, end, &EndRow::end);
  Check(row != std::end(kEnds), "every end of a run has a name");
  return row->name;
}

Outcome OutcomeOf(const TuneSummary& summary) {
  Outcome outcome{.verdict = Verdict(summary), .gates = JudgeGates(summary.fail_if, summary)};
  outcome.end = EndOf(summary, outcome.gates);
  return outcome;
}

}  // namespace halftone
