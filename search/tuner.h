// The search loop: suggest, skip what is known, resolve, measure, record, update, stop.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <span>

#include "search/measure/measurer.h"
#include "search/strategies/strategy.h"
#include "search/tuner_run.h"

namespace halftone {

struct TunerOptions {
  std::size_t max_trials = 200;  // distinct plans, known ones included unless these are free
  bool known_are_free = false;
  // Limit on plans plus other cost of the strategy (Sensitivity::evaluations).
  std::optional<std::size_t> max_evaluations;
  std::optional<std::chrono::duration<double>> time_limit;  // for the search
  // Above 0: time_limit covers search and confirmation. The search leaves this time for each front
  // member that is still to be confirmed; where it is too short, some stay unconfirmed.
  double confirm_s = 0;
  // Most of a time_limit that the confirmation of all members takes.
  double most_confirm_s = std::numeric_limits<double>::infinity();
  // Seconds that a plan takes, or as long as the slowest one took: none begins that would end
  // behind the limit.
  double plan_s = 0;
  double after_s = 0;  // seconds of such a time_limit that the caller needs afterwards
  bool going_on =
      false;  // after a confirmation: also leaves time for a member that is not there yet
  std::size_t batch = 1;  // candidates requested at a time
  // Ends a search whose proposals all resolve to known plans, or not at all.
  std::size_t max_barren = 1000;  // consecutive candidates without a new plan
};

// Upper bound on the distinct plans of a search: proposals of the strategy, and the limits on
// trials and evaluations. `spent`: evaluations of the strategy itself so far; `known`: plans so far
// that were not measured.
std::size_t MostPlansOf(const SearchStrategy& strategy, const TunerOptions& options,
                        double spent = 0, std::size_t known = 0);

// Runs the search. Limits on trials and time bound it.
//
// `known` trials (of the same workload, oldest first) are used in place of measuring a plan with
// their digest. Errors of a single candidate become its Rejection; kInternal, kIo and kDatabase
// errors propagate. `so_far`: an earlier part of this search, by the same strategy, which goes on.
Searched RunSearch(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks, Searched so_far = {});

// The elapsed_s that confirmation may last to; empty: no limit.
std::optional<double> ConfirmUntil(const TunerOptions& options);

// RunSearch(), then ConfirmFront() (search/confirm_front.h) until ConfirmUntil(). Where that leaves
// time of the limit, the search goes on and its new members are confirmed, until no more than the
// time of one more is left.
Confirmed RunTuner(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks);

}  // namespace halftone
