// The search loop: suggest, skip what is known, resolve, measure, record, update, stop.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "search/measure/measurer.h"
#include "search/strategies/strategy.h"
#include "search/tuner_run.h"

namespace halftone {

struct TunerOptions {
  std::size_t max_trials = 200;  // distinct plans, known ones included unless these are free
  bool known_are_free = false;
  // Plans and what the strategy spends besides them (Sensitivity::evaluations).
  std::optional<std::size_t> max_evaluations;
  std::optional<std::chrono::duration<double>> time_limit;  // of the search
  // Above 0: time_limit is of the whole. The search leaves so much time for each member of the
  // front that is still to be confirmed; where that is too little, some stay unconfirmed.
  double confirm_s = 0;
  double after_s = 0;     // of a time_limit of the whole, what the caller still does afterwards
  std::size_t batch = 1;  // candidates asked for at a time
  // Ends a search whose proposals all resolve to plans that it has seen, or not at all.
  std::size_t max_barren = 1000;  // consecutive candidates without a new plan
};

// How many distinct plans a search takes at most: what the strategy proposes, and what the limits
// on trials and evaluations leave. `spent`: evaluations of the strategy itself so far; `known`:
// plans so far that were not measured.
std::size_t MostPlansOf(const SearchStrategy& strategy, const TunerOptions& options,
                        double spent = 0, std::size_t known = 0);

// After the search the members of the front that are not `confirmed` are re-measured with
// Measurer::Confirm, until all members of the front that results are confirmed. Limits on trials
// and time bound the search, not the confirmation (2 s a member); an interrupted search is not
// confirmed.
//
// `known` trials (of the same workload, oldest first) are used in place of measuring a plan with
// their digest.
// Errors of a single candidate become its Rejection; kInternal and kIo errors leave.
TunerResult RunTuner(const TuneProblem& problem, SearchStrategy& strategy, Measurer& measurer,
                     const TunerOptions& options, std::span<const Trial> known,
                     const TunerHooks& hooks);

}  // namespace halftone
