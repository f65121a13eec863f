#include "search/tuner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/confirm_front.h"
#include "search/search_budget.h"
#include "search/space/tunable_node.h"
#include "search/trial/known_trials.h"
#include "search/trial/pareto_front.h"
#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// One search, or its continuation by the same strategy: `so_far` is its earlier part.
class Tuning {
 public:
  Tuning(const TuneProblem& problem, Measurer& measurer, const TunerOptions& options,
         std::span<const Trial> known, const TunerHooks& hooks, Searched so_far)
      : problem_(problem),
        measurer_(measurer),
        options_(options),
        known_(known),
        hooks_(hooks),
        budget_(options, hooks),
        result_(std::move(so_far)) {
    spent_.measured = result_.measured;
    for (std::size_t i = 0; i < result_.trials.size(); ++i) {
      if (result_.trials[i].plan_digest != Hash128{}) {
        spent_.plans += index_of_plan_.emplace(result_.trials[i].plan_digest, i).second ? 1 : 0;
      }
    }
  }

  Searched Run(SearchStrategy& strategy) {
    strategy_ = &strategy;
    std::optional<SearchStop> stop;
    while (!stop) {
      const std::vector<Candidate> candidates = Suggested(strategy);
      std::vector<Trial> finished;
      for (const Candidate& candidate : candidates) {
        stop = stop ? stop : budget_.StopAt(spent_, result_.trials, IsOwed());
        std::optional<Trial> trial = stop ? std::nullopt : Evaluate(candidate);
        if (!trial) {
          result_.pending.push_back(candidate);
          continue;
        }
        finished.push_back(*std::move(trial));
        finished.back().candidate = candidate;
      }
      if (candidates.empty()) {
        stop = SearchStop{SearchEnd::kDone, "nothing left to propose"};
      }
      strategy.Update(finished);
    }
    result_.end = stop->end;
    result_.stop_reason = std::move(stop->reason);
    if (result_.end == SearchEnd::kTime) {
      MeasureWhatIsOwed();
    }
    result_.measured = spent_.measured;
    return std::move(result_);
  }

 private:
  // Candidates that an earlier part of the search left, or new ones.
  std::vector<Candidate> Suggested(SearchStrategy& strategy) {
    std::vector<Candidate> candidates = std::exchange(result_.pending, {});
    if (candidates.empty()) {
      candidates = strategy.Suggest(std::max<std::size_t>(1, options_.batch));
    }
    const StrategyInsight* insight = strategy.insight();
    spent_.probes = insight != nullptr ? insight->facts().sensitivity.evaluations : 0;
    return candidates;
  }

  // A time limit may not take a measured plan, and float32, which meets every bound on accuracy,
  // where it is searched.
  [[nodiscard]] bool IsOwed() const {
    return !problem_.space.modes.empty() &&
           std::ranges::none_of(result_.trials, [&](const Trial& trial) {
             return trial.measurement() != nullptr &&
                    (!SearchesFloat32() ||
                     trial.candidate.options.precision_mode == kNothingLowered);
           });
  }

  [[nodiscard]] bool SearchesFloat32() const {
    return std::ranges::find(problem_.space.modes, kNothingLowered) != problem_.space.modes.end();
  }

  // Where the time of a plan is known, what does not fit stays owed.
  void MeasureWhatIsOwed() {
    if (IsOwed() && budget_.FitsOne()) {
      const std::string mode(SearchesFloat32() ? kNothingLowered : problem_.space.modes.front());
      Evaluate(
          {.options = {.precision_mode = mode, .keep_dtype = problem_.space.pinned_keep_dtype}});
    }
  }

  // The trial of the candidate. New plans and new rejections are recorded; a plan that this run has
  // seen before comes back with the outcome it had. Empty: a stop cut its measurement short.
  std::optional<Trial> Evaluate(const Candidate& candidate) {
    Trial trial{.candidate = candidate,
                .plan_digest = {},
                .low_precision_nodes = {},
                .kept_nodes = {},
                .outcome = Rejection{}};
    ++spent_.barren;
    const auto plan = OrRejection(trial, [&] {
      return Corrected(ResolvePrecision(problem_.graph, candidate.options, problem_.target));
    });
    if (!plan) {
      Record(trial, !known_.HasRejection(trial));
      return trial;
    }
    if (plan->quantization) {
      trial.candidate.options.quantization = plan->quantization;
    }
    trial.plan_digest = plan->Digest();
    FillNodeNames(problem_.graph, *plan, trial);
    if (const auto seen = index_of_plan_.find(trial.plan_digest); seen != index_of_plan_.end()) {
      const KnownTrials::Known* known = known_.Find(trial.plan_digest);
      trial.outcome =
          known != nullptr ? known->first->outcome : result_.trials[seen->second].outcome;
      return trial;
    }
    const KnownTrials::Known* known = known_.Find(trial.plan_digest);
    if (known != nullptr) {
      trial.outcome = known->last->outcome;
      ++result_.known;
    } else {
      const double begin_s = budget_.Now();
      if (auto outcome = OrRejection(
              trial, [&] { return measurer_.Race(*plan, RacingBounds(result_.trials)); })) {
        trial.outcome = *std::move(outcome);
        budget_.LearnPlan(begin_s);
      } else if (budget_.is_interrupted()) {
        return std::nullopt;  // the error may be that of the stop
      }
      ++spent_.measured;
    }
    index_of_plan_.emplace(trial.plan_digest, result_.trials.size());
    ++spent_.plans;
    spent_.barren = 0;
    Record(trial, known == nullptr);
    if (known != nullptr) {
      trial.outcome = known->first->outcome;
    }
    return trial;
  }

  // TunerHooks::corrected, once for equal plans.
  PrecisionPlan Corrected(PrecisionPlan plan) {
    if (!hooks_.corrected || !plan.quantization) {
      return plan;
    }
    const auto [known, is_new] = corrected_.try_emplace(plan.Digest());
    if (is_new) {
      known->second = hooks_.corrected(plan).quantization;
    }
    plan.quantization = known->second;
    return plan;
  }

  void Record(const Trial& trial, bool is_new) {
    result_.trials.push_back(trial);
    if (is_new && hooks_.on_trial) {
      hooks_.on_trial(trial);
    }
    if (hooks_.on_progress) {
      const std::size_t most = MostPlansOf(*strategy_, options_, spent_.probes, result_.known);
      hooks_.on_progress({TunerProgress::Phase::kSearch, spent_.plans, std::max(spent_.plans, most),
                          spent_.measured, result_.trials, &result_.trials.back()});
    }
  }

  const TuneProblem& problem_;
  Measurer& measurer_;
  const TunerOptions& options_;
  KnownTrials known_;
  const TunerHooks& hooks_;
  SearchBudget budget_;
  SearchSpent spent_;
  const SearchStrategy* strategy_ = nullptr;
  Searched result_;
  std::map<Hash128, std::size_t> index_of_plan_;     // into result_.trials
  std::map<Hash128, SharedQuantization> corrected_;  // by plan as proposed
};

}  // namespace

std::size_t MostPlansOf(const SearchStrategy& strategy, const TunerOptions& options, double spent,
                        std::size_t known) {
  constexpr std::size_t kNoLimit = kNoLimitOfPlans;
  const std::size_t free = options.known_are_free ? known : 0;
  std::size_t most = options.max_trials > kNoLimit - free ? kNoLimit : options.max_trials + free;
  if (options.max_evaluations) {
    const double left = std::ceil(static_cast<double>(*options.max_evaluations) - spent);
    most = std::min(most, left > 0 ? static_cast<std::size_t>(left) : 0);
  }
  const std::optional<Forecast> forecast = strategy.forecast();
  return forecast ? std::min(most, forecast->most_plans) : most;
}

Searched RunSearch(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks) {
  return Tuning(problem, measurer, options, known, hooks, {}).Run(strategy);
}

std::optional<double> ConfirmUntil(const TunerOptions& options) {
  return options.time_limit && options.confirm_s > 0
             ? std::optional(options.time_limit->count() - options.after_s)
             : std::nullopt;
}

Confirmed RunTuner(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks) {
  constexpr double kSlower = 1.5;  // one confirmation than those before it
  const std::optional<double> until_s = ConfirmUntil(options);
  const auto elapsed_s = [&] { return until_s && hooks.elapsed_s ? hooks.elapsed_s() : 0; };
  TunerOptions limits = options;
  const auto begin = [&](TunerProgress::Phase phase) {
    if (hooks.on_phase) {
      hooks.on_phase(phase);
    }
  };
  const auto search = [&](Searched so_far) {
    begin(TunerProgress::Phase::kSearch);
    return Tuning(problem, measurer, limits, known, hooks, std::move(so_far)).Run(strategy);
  };
  Searched searched = search({});
  while (true) {
    begin(TunerProgress::Phase::kConfirm);
    const std::size_t members = UnconfirmedOf(searched.trials);
    const std::size_t plans = searched.trials.size();
    const double begin_s = elapsed_s();
    Confirmed confirmed = ConfirmFront(problem, std::move(searched), measurer, hooks, until_s);
    const double end_s = elapsed_s();
    if (members > 0) {
      limits.confirm_s =
          std::min(limits.confirm_s, kSlower * (end_s - begin_s) / static_cast<double>(members));
    }
    if (confirmed.end != SearchEnd::kTime || !until_s || end_s + limits.confirm_s >= *until_s ||
        UnconfirmedOf(confirmed.trials) > 0) {
      return confirmed;
    }
    limits.going_on = true;
    std::vector<std::size_t> front = confirmed.front;
    searched = search(std::move(confirmed));
    if (searched.trials.size() == plans) {
      return {std::move(searched), std::move(front)};
    }
  }
}

}  // namespace halftone
