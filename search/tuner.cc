#include "search/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/confirm_front.h"
#include "search/space/tunable_node.h"
#include "search/trial/known_trials.h"
#include "search/trial/pareto_front.h"
#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// One run of RunSearch.
class Tuning {
 public:
  Tuning(const TuneProblem& problem, Measurer& measurer, const TunerOptions& options,
         std::span<const Trial> known, const TunerHooks& hooks, Searched so_far)
      : problem_(problem),
        measurer_(measurer),
        options_(options),
        known_(known),
        hooks_(hooks),
        result_(std::move(so_far)),
        plan_s_(options.plan_s) {
    result_.stop_reason.clear();
    result_.end = SearchEnd::kDone;
    for (std::size_t i = 0; i < result_.trials.size(); ++i) {
      if (result_.trials[i].plan_digest != Hash128{}) {
        plans_ += index_of_plan_.emplace(result_.trials[i].plan_digest, i).second ? 1 : 0;
      }
    }
  }

  Searched Run(SearchStrategy& strategy) {
    strategy_ = &strategy;
    while (result_.stop_reason.empty()) {
      const std::vector<Candidate> candidates =
          result_.pending.empty() ? strategy.Suggest(std::max<std::size_t>(1, options_.batch))
                                  : std::exchange(result_.pending, {});
      const StrategyInsight* insight = strategy.insight();
      spent_ = insight != nullptr ? insight->facts().sensitivity.evaluations : 0;
      std::vector<Trial> finished;
      for (const Candidate& candidate : candidates) {
        if (!result_.stop_reason.empty() || ShouldStop()) {
          result_.pending.push_back(candidate);
        } else {
          std::optional<Trial> trial = Evaluate(candidate);
          if (!trial) {
            result_.pending.push_back(candidate);
            continue;
          }
          finished.push_back(*std::move(trial));
          finished.back().candidate = candidate;
        }
      }
      if (candidates.empty()) {
        result_.stop_reason = "nothing left to propose";
      }
      strategy.Update(finished);
    }
    if (result_.end == SearchEnd::kTime) {
      MeasureWhatIsOwed();
    }
    return std::move(result_);
  }

 private:
  bool ShouldStop() {
    if (hooks_.stop_requested && hooks_.stop_requested()) {
      result_.end = SearchEnd::kUser;
      result_.stop_reason = "interrupted";
    } else if ((options_.known_are_free ? result_.measured : plans_) >= options_.max_trials) {
      result_.stop_reason = fmt::format("max_trials ({}) reached", options_.max_trials);
    } else if (options_.max_evaluations && static_cast<double>(plans_) + spent_ >=
                                               static_cast<double>(*options_.max_evaluations)) {
      result_.stop_reason =
          spent_ > 0 ? fmt::format("budget of {} evaluations spent, {:.0f} of them for probes",
                                   *options_.max_evaluations, spent_)
                     : fmt::format("budget of {} evaluations spent", *options_.max_evaluations);
    } else if (options_.time_limit && hooks_.elapsed_s &&
               hooks_.elapsed_s() + SecondsOfNext() + SecondsAfterSearch() >=
                   options_.time_limit->count()) {
      result_.end = SearchEnd::kTime;
      result_.stop_reason =
          fmt::format("time limit of {:g} s reached", options_.time_limit->count());
    } else if (barren_ >= options_.max_barren) {
      result_.stop_reason = fmt::format("no new plan in {} candidates", barren_);
    }
    return !result_.stop_reason.empty();
  }

  // What a time limit may not take: a measured plan, and float32, which meets every bound on
  // accuracy, where it is searched. Empty: it is there.
  [[nodiscard]] std::optional<Candidate> Owed() const {
    constexpr std::string_view kFloat32 = "must_keep_origin_dtype";
    const std::vector<std::string>& modes = problem_.space.modes;
    const bool searched = std::ranges::find(modes, kFloat32) != modes.end();
    const bool measured = std::ranges::any_of(result_.trials, [&](const Trial& trial) {
      return trial.measurement() != nullptr &&
             (!searched || trial.candidate.options.precision_mode == kFloat32);
    });
    if (measured || modes.empty()) {
      return std::nullopt;
    }
    return Candidate{.options = {.precision_mode = searched ? std::string(kFloat32) : modes.front(),
                                 .keep_dtype = problem_.space.pinned_keep_dtype}};
  }

  // Where the time of a plan is known, what does not fit stays owed.
  void MeasureWhatIsOwed() {
    const bool fits = plan_s_ <= 0 || hooks_.elapsed_s() + plan_s_ <= options_.time_limit->count();
    if (const std::optional<Candidate> owed = Owed(); owed && fits) {
      Evaluate(*owed);
    }
  }

  // The next plan, and one that is owed.
  [[nodiscard]] double SecondsOfNext() const {
    return plan_s_ > 0 && Owed() ? 2 * plan_s_ : plan_s_;
  }

  // Work that is left when the search ends.
  [[nodiscard]] double SecondsAfterSearch() const {
    const std::size_t members = UnconfirmedOf(result_.trials) + (options_.going_on ? 1 : 0);
    return options_.confirm_s > 0 ? std::min(options_.confirm_s * static_cast<double>(members),
                                             options_.most_confirm_s) +
                                        options_.after_s
                                  : 0;
  }

  // The trial of the candidate. New plans and new rejections are recorded; a plan that this run has
  // seen before comes back with the outcome it had. Empty: a stop cut its measurement short.
  std::optional<Trial> Evaluate(const Candidate& candidate) {
    Trial trial{.candidate = candidate,
                .plan_digest = {},
                .low_precision_nodes = {},
                .kept_nodes = {},
                .outcome = Rejection{}};
    ++barren_;
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
      const bool is_timed = plan_s_ > 0 && hooks_.elapsed_s;
      const double begin_s = is_timed ? hooks_.elapsed_s() : 0;
      if (auto outcome = OrRejection(
              trial, [&] { return measurer_.Race(*plan, RacingBounds(result_.trials)); })) {
        trial.outcome = *std::move(outcome);
        if (is_timed) {
          plan_s_ = std::max(plan_s_, hooks_.elapsed_s() - begin_s);
        }
      } else if (hooks_.stop_requested && hooks_.stop_requested()) {
        return std::nullopt;  // the error may be that of the stop
      }
      ++result_.measured;
    }
    index_of_plan_.emplace(trial.plan_digest, result_.trials.size());
    ++plans_;
    barren_ = 0;
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
      const std::size_t most = MostPlansOf(*strategy_, options_, spent_, result_.known);
      hooks_.on_progress({TunerProgress::Phase::kSearch, plans_, std::max(plans_, most),
                          result_.measured, result_.trials, &result_.trials.back()});
    }
  }

  const TuneProblem& problem_;
  Measurer& measurer_;
  const TunerOptions& options_;
  KnownTrials known_;
  const TunerHooks& hooks_;
  const SearchStrategy* strategy_ = nullptr;
  Searched result_;
  std::map<Hash128, std::size_t> index_of_plan_;     // into result_.trials
  std::map<Hash128, SharedQuantization> corrected_;  // by plan as proposed
  std::size_t plans_ = 0;
  double plan_s_;           // the estimate, or the slowest so far; 0: not asked
  double spent_ = 0;        // by the strategy itself
  std::size_t barren_ = 0;  // candidates since the last new plan
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
                   const TunerHooks& hooks, Searched so_far) {
  return Tuning(problem, measurer, options, known, hooks, std::move(so_far)).Run(strategy);
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
  begin(TunerProgress::Phase::kSearch);
  Searched searched = RunSearch(problem, strategy, measurer, limits, known, hooks);
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
    begin(TunerProgress::Phase::kSearch);
    searched = RunSearch(problem, strategy, measurer, limits, known, hooks, std::move(confirmed));
    if (searched.trials.size() == plans) {
      return {std::move(searched), std::move(front)};
    }
  }
}

}  // namespace halftone
