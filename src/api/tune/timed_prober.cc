#include "src/api/tune/timed_prober.h"

#include "search/space/decisions.h"

namespace halftone {
namespace {

constexpr double kMostOfTheRest = 0.5;

}  // namespace

double LeastProbeSeconds(const Decisions& decisions, const ProbeCosts& costs) {
  constexpr double kRounds = 3;       // the first warms up (StepTimesOptions::fewest_rounds)
  constexpr double kOfOneSample = 2;  // its values, and the groups on them
  const double plans = costs.timed ? 2 * static_cast<double>(decisions.AllChoices().size()) - 1 : 0;
  return costs.run_s * (kRounds * plans + kOfOneSample) + costs.compile_s * (plans + 1);
}

Sensitivity TimedProber::Probe(const Decisions& decisions, std::span<const double> losses) {
  if (LeastProbeSeconds(decisions, costs_) > kMostOfTheRest * budget_.left_s()) {
    Sensitivity none;
    none.complete = false;
    return none;
  }
  const PhaseScope scope(budget_, BudgetPhase::kProbes);
  return prober_.Probe(decisions, losses);
}

}  // namespace halftone
