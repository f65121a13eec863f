// Runs an AOE job: tunes every model, keeps the result file up to date, writes the workspace.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "src/aoe/job.h"
#include "src/base/text_table.h"
#include "src/base/time_budget.h"

namespace halftone {

struct AoeHooks {
  // Clock of AoeJob::budget_s, which began with the command; null: it begins with the job.
  std::shared_ptr<TimeBudget> time = nullptr;
  std::function<void(std::string_view)> print;  // a line for the screen
  std::function<void(std::string_view)> warn;   // a sentence for the error stream
  std::function<void(const TunerProgress&)> on_progress;
  std::function<void(const OperatorTunerProgress&)> on_operators;
  std::function<void()> on_progress_end;  // before anything is printed after progress
  std::function<bool()> stop_requested;
  std::function<std::string()> timestamp;  // YYYYMMDDhhmmss and milliseconds
  long process_id = 0;
  std::string command;                    // recorded with the result
  std::size_t columns = kColumnsOfFiles;  // of the screen
};

enum class AoeOutcome : std::uint8_t {
  kDone,
  kNoneMeetsBound,  // no configuration meets --min_sqnr_db or --max_top1_drop, or there was no time
  kInterrupted,
  kFailed,  // at least one of several models; the reasons have been printed
};

// Checks options, then their files, then models. The result file exists once a model is tuned or,
// where there are several, once one has failed. With one model, throws its error; with several,
// tries each.
AoeOutcome RunAoeJob(const AoeJob& job, const AoeHooks& hooks);

}  // namespace halftone
