#include "src/aoe/kept_configuration.h"

#include <cmath>
#include <utility>

#include "search/trial/pareto_front.h"
#include "src/aoe/operator_entries.h"

namespace halftone {

bool KeepsBaseline(const TuneSummary& summary, const Constraints& constraints) {
  const Measurement& baseline = *summary.front.baseline->measurement();
  const Latency& before = baseline.latency;
  const Latency& after = summary.front.chosen_point().measurement().latency;
  const bool tie = IsTie(before, after) || std::abs(after.ratio - before.ratio) < kTieRatio;
  return tie && !Violation(constraints, baseline, summary.reference.top1);
}

TuneSummary WithWrittenPoint(const TuneSummary& summary, const Constraints& constraints) {
  TuneSummary written = summary;
  FrontPoint point = summary.front.chosen_point();
  const Trial& baseline = *summary.front.baseline;
  if (KeepsBaseline(summary, constraints) && !(point.trial.candidate == baseline.candidate)) {
    point = FrontPoint{};
    point.trial = baseline;
  }
  written.front.points = {std::move(point)};
  written.front.chosen = 0;
  return written;
}

}  // namespace halftone
