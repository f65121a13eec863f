#include "search/explain/choice_findings.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "search/explain/causes.h"
#include "search/explain/kept_operators.h"
#include "src/accuracy/metric_words.h"
#include "src/accuracy/metrics.h"

namespace halftone {
namespace {

std::string LeftBy(double sqnr_db) {
  return sqnr_db >= kExactSqnrDb ? "the probed outputs as they are"
                                 : fmt::format("an SQNR of {}", FormatSqnr(sqnr_db));
}

// Finding on a group's choice other than the reference.
std::string FindingOf(const DecisionGroup& group, const GroupSensitivity& sensitivity,
                      std::size_t choice) {
  const ChoiceSensitivity& chosen = sensitivity.choices[choice];
  const double saved = sensitivity.choices[0].time - chosen.time;
  return fmt::format(
      "it {} {:.1f} % of float32's time{} and alone leaves {}", saved > 0 ? "saves" : "takes",
      100 * std::abs(saved), saved > 0 ? "" : " more, casts left out,",
      LeftBy(DecibelsOf(ErrorAtOutputs(sensitivity, group.choices[choice], chosen))));
}

}  // namespace

std::map<std::string, std::string> ChoiceFindings(const Decisions& decisions,
                                                  const SearchInsight& insight,
                                                  const PrecisionPlan& plan) {
  std::map<std::string, std::string> findings;
  const auto& probed = insight.sensitivity.groups;
  if (probed.size() != decisions.groups().size()) {
    return findings;
  }
  const Assignment assignment = decisions.AssignmentOf(plan);
  for (std::size_t g = 0; g < probed.size(); ++g) {
    const DecisionGroup& group = decisions.groups()[g];
    std::optional<std::string> finding;
    if (assignment[g] != 0) {
      finding = FindingOf(group, probed[g], assignment[g]);
    } else if (const auto kept = RejectedChoice(group, probed[g])) {
      finding =
          fmt::format("{} is not worth it ({}): {}", kept->choice, kept->cause, kept->evidence);
    }
    if (finding) {
      findings.emplace(decisions.graph().node(decisions.MainOf(group)).name, *finding);
    }
  }
  return findings;
}

}  // namespace halftone
