#include "src/api/tune/search_limits.h"

#include <algorithm>
#include <iterator>

#include "search/measure/compare_executables.h"
#include "search/measure/paired_rounds.h"

namespace halftone {
namespace {

// Slow networks get so many times the budget of every measurement.
double BudgetFactor(const ShapesMeasurer& measurer, std::int64_t samples) {
  const PairedRoundsOptions rounds;
  const bool slow = measurer.reference_pass_s() > rounds.slow_run_s * static_cast<double>(samples);
  return slow ? rounds.slow_budget_factor : 1;
}

// Seconds reserved for each member of the front that is not confirmed: for its confirmation, and
// for those of members that only then come to the front. What is left is searched in.
double SecondsToConfirm(const TuneOptions& options, const ShapesMeasurer& measurer,
                        std::int64_t samples) {
  constexpr double kFallBehind = 2;
  return kFallBehind * options.measure.full_budget_s * BudgetFactor(measurer, samples);
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
  const double run_s = SecondsOfRun(measurer);
  return kTimes + kCompiles * measurer.compile_s() +
         run_s * (kRuns + kPasses * samples + kPoints * static_cast<double>(heldout_count));
}

// Largest shares of a limit on the whole that are reserved for this and for confirming: a search
// that has no time finds nothing.
constexpr double kMostAfter = 0.15;
constexpr double kMostToConfirm = 0.35;
// The latter where the limit holds fewer float32 runs than kFewRuns.
constexpr double kMostToConfirmFew = 0.15;
constexpr double kFewRuns = 2000;

}  // namespace

double SecondsOfRun(const ShapesMeasurer& measurer) {
  return measurer.reference_pass_s() / static_cast<double>(measurer.samples());
}

double RunsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer) {
  return RunsOfPlan(options, measurer.shapes().size(), SecondsOfRun(measurer));
}

double RunsOfPlan(const TuneOptions& options, std::size_t shapes, double run_s) {
  if (options.measure.quick_budget_s <= kPredictedBudget_s) {
    return 0;
  }
  // A runtime has its own rounds, which do not become fewer.
  const double of_run_s = options.measure.on.runtime.empty() ? run_s : 0;
  return 2.0 * LeastRuns(QuickRounds(), of_run_s) * static_cast<double>(shapes);
}

double SecondsOfPlan(const TuneOptions& options, const ShapesMeasurer& measurer,
                     std::int64_t samples) {
  return std::max(options.measure.quick_budget_s * BudgetFactor(measurer, samples),
                  RunsOfPlan(options, measurer) * SecondsOfRun(measurer)) +
         measurer.reference_pass_s() + measurer.compile_s();
}

TunerOptions LimitsOf(const TuneOptions& options, const ShapesMeasurer& measurer,
                      std::int64_t heldout_count) {
  const auto samples = static_cast<std::int64_t>(measurer.samples());
  TunerOptions limits{.max_trials = options.max_trials,
                      .known_are_free = options.known_are_free,
                      .max_evaluations = options.budget.evaluations,
                      .time_limit = options.time_limit};
  if (options.budget.time && (!limits.time_limit || *options.budget.time < *limits.time_limit)) {
    limits.time_limit = options.budget.time;
    limits.plan_s = SecondsOfPlan(options, measurer, samples);
    limits.confirm_s = SecondsToConfirm(options, measurer, samples);
    const bool few = limits.time_limit->count() < kFewRuns * SecondsOfRun(measurer);
    limits.most_confirm_s = (few ? kMostToConfirmFew : kMostToConfirm) * limits.time_limit->count();
    limits.after_s =
        std::min(SecondsAfter(measurer, heldout_count), kMostAfter * limits.time_limit->count());
  }
  return limits;
}

}  // namespace halftone
