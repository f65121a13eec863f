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
  std::size_t max_trials = 200;  // distinct plans, including known ones unless known_are_free
  bool known_are_free = false;
  // Limit on plans plus evaluations of the strategy itself (Sensitivity::evaluations).
  std::optional<std::size_t> max_evaluations;
  std::optional<std::chrono::duration<double>> time_limit;  // for the search
  // Above 0: time_limit covers search and confirmation. The search leaves this many seconds for
  // each front member that is still to be confirmed; if they do not suffice, some stay unconfirmed.
  double confirm_s = 0;
  // Largest part of time_limit, in seconds, for the confirmation of all members.
  double most_confirm_s = std::numeric_limits<double>::infinity();
  // Estimated seconds of a plan; raised to those of the slowest plan so far. No plan begins that
  // would end after the limit.
  double plan_s = 0;
  double after_s = 0;  // seconds of time_limit that the caller needs afterwards
  bool going_on =
      false;  // after a confirmation: the search also leaves time to confirm one new member
  std::size_t batch = 1;  // candidates requested at a time
  // Ends a search whose proposals all resolve to known plans or do not resolve.
  std::size_t max_barren = 1000;  // consecutive candidates without a new plan
};

// Upper bound on the distinct plans of a search, from the strategy's forecast and the limits on
// trials and evaluations. `spent`: evaluations of the strategy itself so far. `known`: known plans
// so far, which were not measured.
std::size_t MostPlansOf(const SearchStrategy& strategy, const TunerOptions& options,
                        double spent = 0, std::size_t known = 0);

// Runs the search. Limits on trials and time bound it.
//
// A plan with the digest of a `known` trial (same workload, oldest first) takes that trial and is
// not measured. Errors of a single candidate become its Rejection; kInternal, kIo and kDatabase
// errors propagate. `so_far`: the earlier part of this search by the same strategy, which this call
// continues.
Searched RunSearch(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks, Searched so_far = {});

// Value of elapsed_s at which confirmation must end; empty: no limit.
std::optional<double> ConfirmUntil(const TunerOptions& options);

// Calls RunSearch(), then ConfirmFront() (search/confirm_front.h) until ConfirmUntil(). While time
// for more than one further plan is left, the search goes on and its new front members are
// confirmed.
Confirmed RunTuner(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                   const TunerOptions& options, std::span<const Trial> known,
                   const TunerHooks& hooks);

}  // namespace halftone
