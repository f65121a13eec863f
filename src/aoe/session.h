// Runs an AOE job: tunes every model, updates the result file, and writes the workspace.
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
  // Clock for AoeJob::budget_s, which began with the command; null: it begins with the job.
  std::shared_ptr<TimeBudget> time = nullptr;
  std::function<void(std::string_view)> print;  // takes a line for the screen
  std::function<void(std::string_view)> warn;   // takes a sentence for the error stream
  std::function<void(const TunerProgress&)> on_progress;
  std::function<void(const OperatorTunerProgress&)> on_operators;
  std::function<void()> on_progress_end;  // called between progress and the next line
  std::function<bool()> stop_requested;
  std::function<std::string()> timestamp;  // returns YYYYMMDDhhmmss and milliseconds
  long process_id = 0;
  std::string command;                    // command line to record with the result
  std::size_t columns = kColumnsOfFiles;  // width of the screen
};

enum class AoeOutcome : std::uint8_t {
  kDone,
  kNoneMeetsBound,  // no configuration of a model meets the bounds, or there was no time to search
  kInterrupted,
  kFailed,  // at least one of several models failed; the reasons were printed
};

// Runs the job and returns the worst outcome of its models. The result file appears when the tuning
// of a model begins; with several models, also when a model fails before that. With one model,
// throws the error of that model. With several, prints the error of a model and goes on with the
// next, but throws an error kInternal.
AoeOutcome RunAoeJob(const AoeJob& job, const AoeHooks& hooks);

}  // namespace halftone
