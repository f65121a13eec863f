// A compiled plan with buffers of its own that records the time of each step.
#pragma once

#include <vector>

#include "search/measure/compare_executables.h"

namespace halftone {

struct TimedPlan {
  TimedPlan(Executable compiled, const Sample& sample);
  TimedPlan(TimedPlan&&) = delete;  // runner refers to executable
  TimedPlan& operator=(TimedPlan&&) = delete;
  ~TimedPlan() = default;

  // One run, with a clock between the steps. Call it within a thread pool.
  void Run();

  // Drops the warm-up run.
  void ForgetFirstRun();

  Executable executable;
  ExecutableRunner runner;
  std::vector<std::vector<double>> step_seconds;  // per step and run
  std::vector<double> totals;                     // per run, seconds: sums over the steps
};

}  // namespace halftone
