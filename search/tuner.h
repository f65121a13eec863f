// The search loop: suggest, resolve, skip known plans, measure, record, update, stop.
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
  std::size_t max_trials = 200;  // distinct plans; known ones count unless known_are_free
  bool known_are_free = false;
  // Limit on plans plus evaluations of the strategy itself (Sensitivity::evaluations).
  std::optional<std::size_t> max_evaluations;
  std::optional<std::chrono::duration<double>> time_limit;  // for the search
  // Above 0: time_limit covers search and confirmation. The search leaves this many seconds for
  // each front member that is still to be confirmed. If the time does not suffice, some members
  // stay unconfirmed.
  double confirm_s = 0;
  // Upper bound on the seconds that the search leaves for the confirmation of all members.
  double most_confirm_s = std::numeric_limits<double>::infinity();
  // Estimated seconds of a plan; a slower plan raises the estimate. No plan begins if it would end
  // after time_limit. 0: plans are not timed.
  double plan_s = 0;
  double after_s = 0;  // seconds of time_limit that the caller needs afterwards
  // True after a confirmation: the search also leaves time to confirm one new member.
  bool going_on = false;
  std::size_t batch = 1;  // candidates requested at a time
  // Ends a search whose proposals all resolve to known plans or do not resolve.
  std::size_t max_barren = 1000;  // consecutive candidates without a new plan
};

// Upper bound on the distinct plans of a search, from the strategy's forecast and the limits on
// trials and evaluations. `spent`: evaluations of the strategy itself so far. `known`: number of
// plans so far that were known and not measured.
std::size_t MostPlansOf(const SearchStrategy& strategy, const TunerOptions& options,
                        double spent = 0, std::size_t known = 0);

// Runs the search until a limit of `options` is reached, hooks.stop_requested returns true, or
// nothing is left to propose.
//
// `known`: trials of the same workload, oldest first. A plan with the digest of a known trial takes
// the outcome of that trial and is not measured. An Error of a single candidate becomes its
// Rejection; errors kInternal, kIo and kDatabase propagate.
Searched RunSearch(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks);

// Value of TunerHooks::elapsed_s at which confirmation must end; empty: no limit.
std::optional<double> ConfirmUntil(const TunerOptions& options);

// Searches as RunSearch() does, then calls ConfirmFront() (search/confirm_front.h) until
// ConfirmUntil(). If the time limit ended the search and time is left to confirm another member,
// the search continues and its new front members are confirmed. This repeats until no time is left
// or the search finds no new plan.
Confirmed RunTuner(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks);

}  // namespace halftone
