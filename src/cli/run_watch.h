// Hooks of `halftone run`: progress, and an early end by Ctrl-C or by a budget.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "src/api/halftone.h"
#include "src/base/time_budget.h"
#include "src/cli/interrupt.h"
#include "src/cli/step_progress.h"

namespace halftone {

// Shows the progress of a run, and tells the run when to end.
class RunWatch {
 public:
  // `time`: time budget of the command.
  explicit RunWatch(std::shared_ptr<const TimeBudget> time) {
    hooks_.time = std::move(time);
    hooks_.stop_requested = StopRequested;
    hooks_.on_progress = [this](std::string_view what, std::size_t done, std::size_t planned) {
      progress_.Set(what, done, planned);
    };
  }

  [[nodiscard]] RunHooks& hooks() { return hooks_; }

  // Clears the line of progress, so that results can be printed.
  void Finish() { progress_.Finish(); }

 private:
  InterruptGuard interrupt_;
  RunHooks hooks_;
  StepProgressLine progress_;
};

}  // namespace halftone
