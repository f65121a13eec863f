// Prober within a budget in time. Its work counts as the phase of probes, and does not begin where
// it would leave no time for the plans that it serves.
#pragma once

#include "search/probe/prober.h"
#include "src/base/time_budget.h"

namespace halftone {

// Costs of probes, estimated from float32.
struct ProbeCosts {
  double run_s = 0;      // a float32 run
  double compile_s = 0;  // a compilation
  bool timed = true;     // false: times are predicted
};

// Least seconds of probes for these decisions: plans of each choice for all groups, and for every
// second group, are compiled and run three times; errors take one run for each sample.
double LeastProbeSeconds(const Decisions& decisions, const ProbeCosts& costs);

class TimedProber : public Prober {
 public:
  // Both must outlive it.
  TimedProber(Prober& prober, TimeBudget& budget, const ProbeCosts& costs)
      : prober_(prober), budget_(budget), costs_(costs) {}

  // Incomplete where the probes take more than half of the remaining time.
  Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) override;

 private:
  Prober& prober_;
  TimeBudget& budget_;
  ProbeCosts costs_;
};

}  // namespace halftone
