#include "search/confirm_front.h"

#include <algorithm>

namespace halftone {
namespace {

void ConfirmTrial(const TuneProblem& problem, Measurer& measurer, Trial& trial) {
  const auto latency = OrRejection(trial, [&] {
    return measurer.Confirm(
        ResolvePrecision(problem.graph, trial.candidate.options, problem.target));
  });
  if (latency) {
    auto& measurement = std::get<Measurement>(trial.outcome);
    measurement.latency = *latency;
    measurement.confirmed = true;
  }
}

}  // namespace

bool ConfirmFront(const TuneProblem& problem, Measurer& measurer, const TunerHooks& hooks,
                  TunerResult& result) {
  std::size_t done = 0;
  while (true) {
    const std::vector<std::size_t> front = ParetoFront(result.trials);
    const auto confirmed = [&](std::size_t i) { return result.trials[i].measurement()->confirmed; };
    const auto next =
        std::find_if(front.begin(), front.end(), [&](std::size_t i) { return !confirmed(i); });
    if (next == front.end()) {
      return false;
    }
    if (hooks.stop_requested && hooks.stop_requested()) {
      return true;
    }
    Trial& trial = result.trials[*next];
    const auto open = static_cast<std::size_t>(
        std::count_if(front.begin(), front.end(), [&](std::size_t i) { return !confirmed(i); }));
    ConfirmTrial(problem, measurer, trial);
    ++done;
    if (hooks.on_trial) {
      hooks.on_trial(trial);
    }
    if (hooks.on_progress) {
      hooks.on_progress({TunerProgress::Phase::kConfirm, done, done + open - 1, result.measured,
                         result.trials, &trial});
    }
  }
}

}  // namespace halftone
