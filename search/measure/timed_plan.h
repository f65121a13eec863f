// A compiled plan that records the time of each step.
#pragma once

#include <vector>

#include "search/measure/compare_executables.h"

namespace halftone {

struct TimedPlan {
  TimedPlan(Executable compiled, const Sample& sample);
  // The arena may be that of others, too (Executable::NewWorkspace()).
  TimedPlan(Executable compiled, const Sample& sample, Tensor arena);
  TimedPlan(TimedPlan&&) = delete;  // runner refers to executable
  TimedPlan& operator=(TimedPlan&&) = delete;
  ~TimedPlan() = default;

  // Runs the plan once and records the time of each step. Call it within a thread pool.
  void Run();

  // Drops the times of the first run, which is the warm-up.
  void ForgetFirstRun();

  Executable executable;
  ExecutableRunner runner;
  std::vector<std::vector<double>> step_seconds;  // by step and run
  std::vector<double> totals;                     // by run: seconds of all steps
};

}  // namespace halftone
