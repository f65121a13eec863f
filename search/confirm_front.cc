#include "search/confirm_front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/trial/pareto_front.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// True if some metric has values per sample. Accuracies measured in this run have them, except
// perhaps for the user's own metric.
bool HasValues(const Accuracy& accuracy) {
  return std::ranges::any_of(accuracy.metrics,
                             [](const MetricValue& metric) { return !metric.values.empty(); });
}

// The unconfirmed member of a front that would be chosen; else the one that is farthest from the
// confirmed ones, the ends first. Empty: all are confirmed.
std::optional<std::size_t> Next(std::span<const std::size_t> front, std::span<const Trial> trials,
                                const TunerHooks& hooks) {
  const auto confirmed = [&](std::size_t i) { return trials[front[i]].measurement()->confirmed; };
  if (hooks.choose) {
    std::vector<Trial> members;
    for (const std::size_t i : front) {
      members.push_back(trials[i]);
    }
    if (const auto chosen = hooks.choose(members); chosen && !confirmed(*chosen)) {
      return front[*chosen];
    }
  }
  std::optional<std::size_t> next;
  std::size_t farthest = 0;
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (confirmed(i)) {
      continue;
    }
    const bool is_end = i == 0 || i + 1 == front.size();
    std::size_t distance = front.size();
    for (std::size_t j = 0; j < front.size() && !is_end; ++j) {
      distance = confirmed(j) ? std::min(distance, i < j ? j - i : i - j) : distance;
    }
    if (distance > farthest) {
      farthest = distance;
      next = front[i];
    }
  }
  return next;
}

enum class ConfirmEnd : std::uint8_t { kAllConfirmed, kStopRequested, kNoTime };

ConfirmEnd ConfirmMembers(const TuneProblem& problem, Measurer& measurer, const TunerHooks& hooks,
                          std::optional<double> until_s, Searched& searched) {
  for (std::size_t done = 1;; ++done) {
    const std::vector<std::size_t> front = ParetoFront(searched.trials);
    const std::optional<std::size_t> next = Next(front, searched.trials, hooks);
    if (!next) {
      return ConfirmEnd::kAllConfirmed;
    }
    if (hooks.stop_requested && hooks.stop_requested()) {
      return ConfirmEnd::kStopRequested;
    }
    Trial& trial = searched.trials[*next];
    const auto open = static_cast<std::size_t>(std::ranges::count_if(
        front, [&](std::size_t i) { return !searched.trials[i].measurement()->confirmed; }));
    ConfirmTime time;
    if (until_s && hooks.elapsed_s) {
      time.most_s = std::max(0.0, *until_s - hooks.elapsed_s());
      time.aim_s = time.most_s / static_cast<double>(open);
    }
    const auto before = trial.outcome;
    if (!Confirm(problem, measurer, trial, time)) {
      return ConfirmEnd::kNoTime;
    }
    if (trial.rejection() != nullptr && hooks.stop_requested && hooks.stop_requested()) {
      trial.outcome = before;  // the error may be that of the stop
      return ConfirmEnd::kStopRequested;
    }
    if (hooks.on_trial) {
      hooks.on_trial(trial);
    }
    if (hooks.on_progress) {
      hooks.on_progress({TunerProgress::Phase::kConfirm, done, done + open - 1, searched.measured,
                         searched.trials, &trial});
    }
  }
}

}  // namespace

bool Confirm(const TuneProblem& problem, Measurer& measurer, Trial& trial,
             const ConfirmTime& time) {
  const auto confirmed = OrRejection(trial, [&] {
    const PrecisionPlan plan =
        ResolvePrecision(problem.graph, trial.candidate.options, problem.target);
    Measurement measurement = *trial.measurement();
    if (!HasValues(measurement.accuracy)) {
      auto judged = measurer.MeasureAccuracy(plan);
      if (auto* rejection = std::get_if<Rejection>(&judged)) {
        trial.outcome = std::move(*rejection);
        return true;
      }
      measurement.accuracy = std::get<Accuracy>(std::move(judged));
    }
    std::optional<Latency> latency = measurer.ConfirmWithin(plan, measurement.latency, time);
    if (!latency) {
      return false;
    }
    measurement.latency = *std::move(latency);
    measurement.confirmed = true;
    trial.outcome = std::move(measurement);
    return true;
  });
  return confirmed.value_or(true);
}

std::size_t UnconfirmedOf(std::span<const Trial> trials) {
  const std::vector<std::size_t> front = ParetoFront(trials);
  return static_cast<std::size_t>(std::ranges::count_if(
      front, [&](std::size_t i) { return !trials[i].measurement()->confirmed; }));
}

Confirmed ConfirmFront(const TuneProblem& problem, Searched searched, Measurer& measurer,
                       const TunerHooks& hooks, std::optional<double> until_s) {
  if (searched.end != SearchEnd::kUser) {
    switch (ConfirmMembers(problem, measurer, hooks, until_s, searched)) {
      case ConfirmEnd::kAllConfirmed:
        break;
      case ConfirmEnd::kStopRequested:
        searched.end = SearchEnd::kUser;
        searched.stop_reason += "; interrupted while confirming";
        break;
      case ConfirmEnd::kNoTime:
        searched.end = SearchEnd::kTime;
        searched.stop_reason += fmt::format(
            "; no time was left to confirm {}",
            Counted(static_cast<std::int64_t>(UnconfirmedOf(searched.trials)), "point"));
        break;
    }
  }
  std::vector<std::size_t> front = ProvenFront(searched.trials);
  return {std::move(searched), std::move(front)};
}

}  // namespace halftone
