// Prober with a time budget: it does not begin if it would leave too little time for the search.
#pragma once

#include "search/probe/prober.h"
#include "src/base/time_budget.h"

namespace halftone {

// Estimated seconds of the parts of a probe, and of the work after the search.
struct ProbeCosts {
  double run_s = 0;      // a float32 run
  double compile_s = 0;  // a compilation
  double after_s = 0;    // reserved for the work after the search
  bool timed = true;     // false: times are predicted, and probes time nothing
};

// Least seconds of the probes of these decisions (LeastProbesOf()): each timed plan is compiled,
// and one more for the errors.
double LeastProbeSeconds(const Decisions& decisions, const ProbeCosts& costs);

class TimedProber : public Prober {
 public:
  // `prober` and `budget` must outlive the object.
  TimedProber(Prober& prober, TimeBudget& budget, const ProbeCosts& costs)
      : prober_(prober), budget_(budget), costs_(costs) {}

  // Probes in the phase kProbes of the budget. Returns an incomplete sensitivity, without a run, if
  // LeastProbeSeconds() exceeds two thirds of the time left for the search.
  Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) override;

 private:
  Prober& prober_;
  TimeBudget& budget_;
  ProbeCosts costs_;
};

}  // namespace halftone
