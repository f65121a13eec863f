// A compiled plan with buffers of its own that remembers how long each of its steps took.
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

  // The one that warms up.
  void ForgetFirstRun();

  Executable executable;
  ExecutableRunner runner;
  std::vector<std::vector<double>> step_seconds;  // by step and run
  std::vector<double> totals;                     // by run, seconds: sums over the steps
};

}  // namespace halftone
