// What a CI service gets of `retune`: JUnit XML and annotations.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/api/retune/retune.h"
#include "src/report/junit.h"

namespace halftone {

std::string FormatRetuneJUnit(const RetuneResult& result) {
  JUnitSuite suite{.command = "retune",
                   .model_name = result.model_name,
                   .target = result.target,
                   .created_at = result.created_at,
                   .properties = {{"tool", fmt::format("halftone {}", Version())},
                                  {"command", result.command},
                                  {"front", result.front.source},
                                  {"verdict", HoldsLine(result)}},
                   .cases = {}};
  suite.properties.emplace_back("verdict_kind", NameIn(kRetuneVerdicts, result.verdict()));
  JUnitCase holds{.name = "the shipped configuration holds",
                  .message = result.holds() ? "" : HoldsLine(result),
                  .lines = result.failures,
                  .undecided = result.verdict() == RetuneVerdict::kInconclusive};
  std::ranges::copy(result.undecided, std::back_inserter(holds.lines));
  std::ranges::move(LatencyLines(result), std::back_inserter(holds.lines));
  suite.cases.push_back(std::move(holds));
  std::ranges::move(TestCasesOf(result.gates), std::back_inserter(suite.cases));
  return FormatJUnitSuite(suite);
}

std::vector<Annotation> AnnotationsOf(const RetuneResult& result) {
  std::vector<Annotation> annotations = AnnotationsOf(result.gates, "retune");
  const RetuneVerdict verdict = result.verdict();
  annotations.push_back({.severity = verdict == RetuneVerdict::kHolds          ? Severity::kNotice
                                     : verdict == RetuneVerdict::kInconclusive ? Severity::kWarning
                                                                               : Severity::kError,
                         .title = fmt::format("halftone retune: {}", result.model_name),
                         .message = HoldsLine(result)});
  return annotations;
}

}  // namespace halftone
