// Callbacks of a tuning run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "halftone/tune_options.h"
#include "search/operators/operator_tuner.h"
#include "search/tuner.h"
#include "src/api/operator_tuning_mode.h"
#include "src/api/quantize_options.h"
#include "src/base/time_budget.h"
#include "src/precision/precision_options.h"

namespace halftone {

struct TuneCallbacks {
  std::function<void(const TunerProgress&)> on_progress;
  std::function<void(const OperatorTunerProgress&)> on_operators;
  std::function<void(const ProbeProgress&)> on_probes;
  // Called with TakeFromSeedBank() of TuneOptions::seed_bank.
  std::function<void(const std::string&)> on_seed_bank;
  // Called before the search with WorkPlanText().
  std::function<void(const std::string&)> on_work_plan;
  // Called before anything runs, with a warning that may make the run not worth its time.
  // TuneSummary::warnings contains the warning too.
  std::function<void(const std::string&)> on_warning;
  // Called before anything runs, once for each of PromiseNotes().
  std::function<void(const std::string&)> on_promises;
  // Called after float32 was measured and before any plan is, with the bounds by which plans are
  // judged. `reference_top1`: top-1 accuracy of float32 on the search samples; empty: no labels.
  std::function<void(const Constraints&, std::optional<double> reference_top1)> on_bounds;
  std::function<bool()> stop_requested;
  // Time budget of the command, which includes loading; null: the call begins a new one. The call
  // sets its limit to TuneOptions::budget.time.
  std::shared_ptr<TimeBudget> time = nullptr;
};

}  // namespace halftone
