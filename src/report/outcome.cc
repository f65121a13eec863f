#include "src/report/outcome.h"

#include <algorithm>

#include "src/base/error.h"
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
    {RunEnd::kNotPromised, "not_promised"},
    {RunEnd::kGateFailed, "gate_failed"},
    {RunEnd::kNothingSearched, "nothing_searched"},
};

RunEnd EndOf(const TuneSummary& summary, const Outcome& outcome) {
  if (summary.search.end == SearchEnd::kUser) {
    return RunEnd::kInterrupted;
  }
  if (outcome.verdict.kind == VerdictKind::kNotSearched) {
    return RunEnd::kNothingSearched;
  }
  if (!outcome.verdict.satisfied) {
    return outcome.verdict.kind == VerdictKind::kMetOnSamples ? RunEnd::kNotPromised
                                                              : RunEnd::kNoneMeets;
  }
  return std::ranges::all_of(outcome.gates, &GateResult::passed) ? RunEnd::kDone
                                                                 : RunEnd::kGateFailed;
}

}  // namespace

std::string_view NameOf(RunEnd end) {
  const auto* const row = std::ranges::find(kEnds, end, &EndRow::end);
  Check(row != std::end(kEnds), "every end of a run has a name");
  return row->name;
}

Outcome OutcomeOf(const TuneSummary& summary) {
  Outcome outcome{.verdict = VerdictOf(summary), .gates = JudgeGates(summary.fail_if, summary)};
  outcome.end = EndOf(summary, outcome);
  return outcome;
}

}  // namespace halftone
