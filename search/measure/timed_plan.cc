#include "search/measure/timed_plan.h"

#include <chrono>
#include <utility>

namespace halftone {

TimedPlan::TimedPlan(Executable compiled, const Sample& sample)
    : executable(std::move(compiled)),
      runner(executable, sample),
      step_seconds(executable.steps().size()) {}

TimedPlan::TimedPlan(Executable compiled, const Sample& sample, Tensor arena)
    : executable(std::move(compiled)),
      runner(executable, sample, std::move(arena)),
      step_seconds(executable.steps().size()) {}

void TimedPlan::Run() {
  using Clock = std::chrono::steady_clock;
  double total = 0;
  auto last = Clock::now();
  executable.RunTimed(runner.workspace, runner.inputs, runner.outputs, [&](std::size_t step) {
    const std::chrono::duration<double> seconds = Clock::now() - last;
    step_seconds[step].push_back(seconds.count());
    total += seconds.count();
    last = Clock::now();
  });
  totals.push_back(total);
}

void TimedPlan::ForgetFirstRun() {
  totals.erase(totals.begin());
  for (std::vector<double>& seconds : step_seconds) {
    seconds.erase(seconds.begin());
  }
}

}  // namespace halftone
