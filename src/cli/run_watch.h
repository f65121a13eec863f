// Progress of `halftone run`, and its early end by Ctrl-C or by a budget.
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

// Progress that a run shows while it lasts, and its end.
class RunWatch {
 public:
  // `time`: of the command, which began with it.
  explicit RunWatch(std::shared_ptr<const TimeBudget> time) {
    hooks_.time = std::move(time);
    hooks_.stop_requested = StopRequested;
    hooks_.on_progress = [this](std::string_view what, std::size_t done, std::size_t planned) {
      progress_.Set(what, done, planned);
    };
  }

  [[nodiscard]] RunHooks& hooks() { return hooks_; }

  // Ends the line of progress, so that results can be printed.
  void Finish() { progress_.Finish(); }

 private:
  InterruptGuard interrupt_;
  RunHooks hooks_;
  StepProgressLine progress_;
};

}  // namespace halftone
