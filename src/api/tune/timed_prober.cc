#include "src/api/tune/timed_prober.h"

#include "search/probe/network_prober.h"
#include "search/space/decisions.h"

namespace halftone {
namespace {

constexpr double kMostOfTheRest = 2.0 / 3;

}  // namespace

double LeastProbeSeconds(const Decisions& decisions, const ProbeCosts& costs) {
  const LeastProbes least = LeastProbesOf(decisions);
  const double plans = costs.timed ? least.timed_plans : 0;
  const double runs = costs.timed ? least.timed_runs : 0;
  return costs.run_s * (least.error_runs + runs) + costs.compile_s * (plans + 1);
}

Sensitivity TimedProber::Probe(const Decisions& decisions, std::span<const double> losses) {
  if (LeastProbeSeconds(decisions, costs_) > kMostOfTheRest * (budget_.left_s() - costs_.after_s)) {
    Sensitivity none;
    none.complete = false;
    return none;
  }
  const PhaseScope scope(budget_, BudgetPhase::kProbes);
  return prober_.Probe(decisions, losses);
}

}  // namespace halftone
