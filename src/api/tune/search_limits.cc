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
double BudgetFactor(const PairedRoundsOptions& rounds, const ShapesMeasurer& measurer) {
  return measurer.reference_run_s() > rounds.slow_run_s ? rounds.slow_budget_factor : 1;
}

// Seconds reserved for each member of the front that is not confirmed: for its confirmation, and
// for those of members that only then come to the front. What is left is searched in.
double SecondsToConfirm(const TuneOptions& options, const ShapesMeasurer& measurer) {
  constexpr double kFallBehind = 2;
  return kFallBehind * options.measure.full_budget_s * BudgetFactor({}, measurer);
}

// Estimated seconds of what follows the last confirmation: judging the samples at the chosen point,
// its errors and times node by node, held-out samples at some points of a front, compiling.
double SecondsAfter(const ShapesMeasurer& measurer, std::int64_t heldout_count) {
  constexpr double kTimes = 1.5;
  constexpr double kCompiles = 6;
  constexpr double kRuns = 40;
  constexpr double kPasses = 3;
  constexpr double kPoints = 8;
  const auto samples = static_cast<double>(measurer.samples());
  const double run_s = measurer.reference_run_s();
  return kTimes + kCompiles * measurer.compile_s() +
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

}  // namespace

double MostSecondsOfPlan(const TuneOptions& options) {
  constexpr double kShare = 0.02;  // room for some thirty plans beside everything else
  return options.budget.time ? kShare * options.budget.time->count()
                             : std::numeric_limits<double>::infinity();
}

double RunsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer) {
  return RunsOfPlan(options, measurer.shapes().size(), measurer.reference_run_s());
}

double RunsOfPlan(const TuneOptions& options, std::size_t shapes, double run_s) {
  if (options.measure.quick_budget_s <= kPredictedBudget_s) {
    return 0;
  }
  // A runtime has its own rounds, which do not become fewer.
  const double of_run_s = options.measure.on.runtime.empty() ? run_s : 0;
  return 2.0 * LeastRuns(RoundsOfPlan(options), of_run_s) * static_cast<double>(shapes);
}

double SecondsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer) {
  const PairedRoundsOptions rounds = RoundsOfPlan(options);
  return std::max(rounds.budget_s * BudgetFactor(rounds, measurer),
                  RunsOfPlan(options, measurer) * measurer.reference_run_s()) +
         measurer.reference_pass_s() + measurer.compile_s();
}

TunerOptions LimitsOf(const TuneOptions& options, const ShapesMeasurer& measurer,
                      std::int64_t heldout_count) {
  TunerOptions limits{.max_trials = options.max_trials,
                      .known_are_free = options.known_are_free,
                      .max_evaluations = options.budget.evaluations,
                      .time_limit = options.time_limit};
  if (options.budget.time && (!limits.time_limit || *options.budget.time < *limits.time_limit)) {
    limits.time_limit = options.budget.time;
    limits.plan_s = SecondsOfPlan(options, measurer);
    limits.confirm_s = SecondsToConfirm(options, measurer);
    const bool few = limits.time_limit->count() < kFewRuns * measurer.reference_run_s();
    limits.most_confirm_s = (few ? kMostToConfirmFew : kMostToConfirm) * limits.time_limit->count();
    const double most_after = few && heldout_count == 0 ? kMostAfterFew : kMostAfter;
    limits.after_s =
        std::min(SecondsAfter(measurer, heldout_count), most_after * limits.time_limit->count());
  }
  return limits;
}

}  // namespace halftone
