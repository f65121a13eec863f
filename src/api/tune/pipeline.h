// Stages of a tuning run. Each stage makes its result from that of the stage before:
//
//   Prepare()        Prepared     options, samples, knowledge base          src/api/tune/prepare.h
//   RunTuner()       Confirmed    measured plans, the front measured again  search/tuner.h
//   CertifyFront()   Certified    held-out accuracy, certificates, a choice
//   TunePrepared()   TuneSummary  the report: all of these with their explanations
//
// If the knowledge base has the front of the same search, it gives Certified in place of RunTuner()
// and CertifyFront() (src/api/tune/answer_from_bank.h). Tune() runs all stages, and an AOE job runs
// Tune(). Retune() runs Prepare() and measures a shipped front; if kernels changed, it continues
// with TunePrepared().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/api/tune/prepare.h"
#include "src/base/machine_watch.h"
#include "src/base/time_budget.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Front with its chosen point, and the facts on which the choice rests.
struct Certified {
  Reference reference;
  SearchFacts search;
  TunedFront front;
  std::vector<std::string> warnings;
};

// Returns the budget of the command (TuneCallbacks::time), or a new one if that is null, and sets
// its limit to limits.time.
std::shared_ptr<TimeBudget> BudgetOf(const Budget& limits, const TuneCallbacks& callbacks);

// Budget of a run, and the load of the machine since the run began.
struct RunStart {
  TimeBudget& budget;
  MachineWatch machine = MachineWatch();
};

// Runs the points of a measured front on the held-out samples, certifies them and chooses one.
// `reference` has no held-out accuracy before the call. Points for which the budget is too short
// are not judged on held-out samples, and a warning says how many.
Certified CertifyFront(const Prepared& prepared, Reference reference, SearchFacts search,
                       TunedFront front, TimeBudget& budget);

// Takes the answer of the knowledge base, or searches, confirms and certifies. Then explains the
// result, stores it, and writes the output files. Every phase observes the budget of `start`.
// Errors as Tune().
TuneSummary TunePrepared(const Prepared& prepared, const RunStart& start,
                         const TuneCallbacks& callbacks);

}  // namespace halftone
