#include "src/api/tune/search_limits.h"

#include <algorithm>
#include <limits>

#include "search/measure/compare_executables.h"
#include "search/measure/paired_rounds.h"

namespace halftone {
namespace {

PairedRoundsOptions RoundsOfPlan(const TuneOptions& options) {
  return QuickRounds(options.measure.quick_budget_s, MostSecondsOfPlan(options));
}

// Slow networks get so many times the budget of a measurement in `rounds`.
double BudgetFactor(const PairedRoundsOptions& rounds, const RunCosts& costs) {
  return costs.run_s > rounds.slow_run_s ? rounds.slow_budget_factor : 1;
}

// Seconds reserved for each member of the front that is not confirmed: for its confirmation, and
// for those of members that only then come to the front. What is left is searched in.
double SecondsToConfirm(const TuneOptions& options, const RunCosts& costs) {
  constexpr double kFallBehind = 2;
  return kFallBehind * options.measure.full_budget_s * BudgetFactor({}, costs);
}

// Estimated seconds of what follows the last confirmation: judging the samples at the chosen point,
// its errors and times node by node, held-out samples at some points of a front, compiling.
double SecondsAfter(const RunCosts& costs, std::int64_t heldout_count) {
  constexpr double kTimes = 1.5;
  constexpr double kCompiles = 6;
  constexpr double kRuns = 40;
  constexpr double kPasses = 3;
  constexpr double kPoints = 8;
  const auto samples = static_cast<double>(costs.samples);
  const double run_s = costs.run_s;
  return kTimes + kCompiles * costs.compile_s +
         run_s * (kRuns + kPasses * samples + kPoints * static_cast<double>(heldout_count));
}

// Largest shares of a limit on the whole that are reserved for this and for confirming: a search
// that has no time finds nothing. The smaller ones hold where the limit has fewer float32 runs than
// kFewRuns, that of the rest without held-out samples alone.
constexpr double kMostAfter = 0.15;
constexpr double kMostAfterFew = 0.08;
constexpr double kMostToConfirm = 0.35;
constexpr double kMostToConfirmFew = 0.15;
constexpr double kFewRuns = 2000;

// Seconds to confirm in a limit of few runs: kMostToConfirmFew, or the seconds of the shortest
// comparison of a member if these are more. 0 if they are more than kMostForOne.
double MostToConfirmFew(double limit_s, const RunCosts& costs) {
  constexpr double kMostForOne = 0.35;
  const auto shapes = static_cast<double>(costs.shapes);
  const double least_s = shapes * LeastConfirmSeconds({.compile_s = costs.compile_s / shapes,
                                                       .run_s = 2 * costs.run_s});
  const double most_s = kMostToConfirmFew * limit_s;
  return least_s <= most_s ? most_s : least_s <= kMostForOne * limit_s ? least_s : 0;
}

}  // namespace

double MostSecondsOfPlan(const TuneOptions& options) {
  constexpr double kShare = 0.02;  // room for some thirty plans beside everything else
  return options.budget.time ? kShare * options.budget.time->count()
                             : std::numeric_limits<double>::infinity();
}

RunCosts CostsOf(const ShapesMeasurer& measurer, double known_run_s) {
  RunCosts costs{.pass_s = measurer.reference_pass_s(),
                 .compile_s = measurer.compile_s(),
                 .samples = measurer.samples(),
                 .shapes = measurer.shapes().size()};
  costs.run_s = costs.pass_s / static_cast<double>(costs.samples);
  if (known_run_s > 0 && costs.shapes == 1) {
    costs.run_s = std::min(costs.run_s, known_run_s);
  }
  return costs;
}

double RunsOfPlan(const TuneOptions& options, const RunCosts& costs) {
  if (options.measure.quick_budget_s <= kPredictedBudget_s) {
    return 0;
  }
  // A runtime has its own rounds, which do not become fewer.
  const double of_run_s = options.measure.on.runtime.empty() ? costs.run_s : 0;
  return 2.0 * LeastRuns(RoundsOfPlan(options), of_run_s) * static_cast<double>(costs.shapes);
}

double SecondsOfPlan(const TuneOptions& options, const RunCosts& costs) {
  const PairedRoundsOptions rounds = RoundsOfPlan(options);
  return std::max(rounds.budget_s * BudgetFactor(rounds, costs),
                  RunsOfPlan(options, costs) * costs.run_s) +
         costs.pass_s + costs.compile_s;
}

TunerOptions LimitsOf(const TuneOptions& options, const RunCosts& costs,
                      std::int64_t heldout_count) {
  TunerOptions limits{.max_trials = options.max_trials,
                      .known_are_free = options.known_are_free,
                      .max_evaluations = options.budget.evaluations,
                      .time_limit = options.time_limit};
  if (options.budget.time && (!limits.time_limit || *options.budget.time < *limits.time_limit)) {
    limits.time_limit = options.budget.time;
    limits.plan_s = SecondsOfPlan(options, costs);
    limits.confirm_s = SecondsToConfirm(options, costs);
    const bool few = limits.time_limit->count() < kFewRuns * costs.run_s;
    limits.most_confirm_s = few ? MostToConfirmFew(limits.time_limit->count(), costs)
                                : kMostToConfirm * limits.time_limit->count();
    const double most_after = few && heldout_count == 0 ? kMostAfterFew : kMostAfter;
    limits.after_s =
        std::min(SecondsAfter(costs, heldout_count), most_after * limits.time_limit->count());
  }
  return limits;
}

}  // namespace halftone
