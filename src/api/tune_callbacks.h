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
  // Tells what was taken from TuneOptions::seed_bank.
  std::function<void(const std::string&)> on_seed_bank;
  // Before the search: the use of its plans, their greatest number, and roughly how long they take.
  std::function<void(const std::string&)> on_work_plan;
  // Before anything runs: a warning that decides whether the run is worth its time; it is one of
  // TuneSummary::warnings, too.
  std::function<void(const std::string&)> on_warning;
  // Before anything runs, for each bound on accuracy: what the held-out samples can promise at
  // best.
  std::function<void(const std::string&)> on_promises;
  // Once float32 was measured, before any plan: the bounds that plans are judged by, and the top-1
  // of float32 on the samples of the search, with labels.
  std::function<void(const Constraints&, std::optional<double> reference_top1)> on_bounds;
  std::function<bool()> stop_requested;
  // Clock and limit that every phase asks, which began with the command, so that loading counts;
  // null: one begins with the call. Its limit becomes TuneOptions::budget.time.
  std::shared_ptr<TimeBudget> time = nullptr;
};

}  // namespace halftone
