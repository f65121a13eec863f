// Stages of a tuning run. Each turns the value of the stage before into its own:
//
//   Prepare()        Prepared     options, samples, knowledge base          src/api/tune/prepare.h
//   RunTuner()       Confirmed    measured plans, the front measured again  search/tuner.h
//   CertifyFront()   Certified    held-out accuracy, certificates, a choice
//   TunePrepared()   TuneSummary  the report: all of these with their explanations
//
// A knowledge base with the front of the same search gives Certified without the two stages that
// measure (src/api/tune/answer_from_bank.h). Tune() runs all stages, and an AOE job runs Tune().
// Retune() prepares the same way and measures a shipped front; where kernels changed, it goes on
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

// A front with its basis, and the point chosen from it.
struct Certified {
  Reference reference;
  SearchFacts search;
  TunedFront front;
  std::vector<std::string> warnings;
};

// The budget that the command began (TuneCallbacks::time), or a new one, with this limit in time.
std::shared_ptr<TimeBudget> BudgetOf(const Budget& limits, const TuneCallbacks& callbacks);

// Budget of a run, and the machine since it began.
struct RunStart {
  TimeBudget& budget;
  MachineWatch machine = MachineWatch();
};

// Runs the points of a measured front on the held-out samples, certifies them and chooses one.
// `reference` has no held-out accuracy yet. Points for which `budget` has no time are not judged on
// held-out samples, with a warning.
Certified CertifyFront(const Prepared& prepared, Reference reference, SearchFacts search,
                       TunedFront front, TimeBudget& budget);

// Answers from the knowledge base, or searches, confirms and certifies; then explains, stores and
// writes. Every phase asks the budget of `start`. Errors as Tune().
TuneSummary TunePrepared(const Prepared& prepared, const RunStart& start,
                         const TuneCallbacks& callbacks);

}  // namespace halftone
