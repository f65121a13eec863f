// Budget of a search: numbers of plans and of evaluations, a time, and the user who may stop it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "search/trial/trial.h"
#include "search/tuner.h"
#include "search/tuner_run.h"

namespace halftone {

// What a search has spent.
struct SearchSpent {
  std::size_t measured = 0;  // plans run in this call
  std::size_t plans = 0;     // different plans, known ones included
  std::size_t barren = 0;    // candidates since the last new plan
  double probes = 0;         // evaluations of the strategy itself
};

// Why a search ends.
struct SearchStop {
  SearchEnd end = SearchEnd::kDone;
  std::string reason;  // "max_trials (200) reached"
};

class SearchBudget {
 public:
  // Both must outlive it.
  SearchBudget(const TunerOptions& options, const TunerHooks& hooks)
      : options_(options), hooks_(hooks), plan_s_(options.plan_s) {}

  [[nodiscard]] bool is_interrupted() const {
    return hooks_.stop_requested && hooks_.stop_requested();
  }

  // Why no other plan is begun; empty: the search goes on. `trials`: all so far, whose front is
  // still to be confirmed. `owed`: another plan is measured when the time ends.
  [[nodiscard]] std::optional<SearchStop> StopAt(const SearchSpent& spent,
                                                 std::span<const Trial> trials, bool owed) const;

  // Whether a plan that is begun now ends within the time.
  [[nodiscard]] bool FitsOne() const;

  // Seconds of a clock that LearnPlan() takes the begin of; 0 where the time of plans is not asked.
  [[nodiscard]] double Now() const { return IsTimed() ? hooks_.elapsed_s() : 0; }

  // A plan that was begun at `begin_s` is measured: plans take as long as the slowest.
  void LearnPlan(double begin_s);

 private:
  [[nodiscard]] bool IsTimed() const { return plan_s_ > 0 && hooks_.elapsed_s; }

  // Work that is left when the search ends.
  [[nodiscard]] double SecondsAfter(std::span<const Trial> trials) const;

  const TunerOptions& options_;
  const TunerHooks& hooks_;
  double plan_s_;  // the estimate, or the slowest so far; 0: not asked
};

}  // namespace halftone
