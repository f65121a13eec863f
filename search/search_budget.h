// Budget of a search: limits on plans, evaluations and time, and the user's request to stop.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "search/trial/trial.h"
#include "search/tuner.h"
#include "search/tuner_run.h"

namespace halftone {

// Plans and probes that a search has spent.
struct SearchSpent {
  std::size_t measured = 0;  // plans run in this call
  std::size_t plans = 0;     // different plans, known ones included
  std::size_t barren = 0;    // candidates since the last new plan
  double probes = 0;         // evaluations of the strategy itself
};

// End of a search, and the reason for it.
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

  // Reason why the search begins no further plan; empty: it goes on. `trials`: all so far; their
  // front is still to be confirmed. `owed`: time for one more plan is reserved.
  [[nodiscard]] std::optional<SearchStop> StopAt(const SearchSpent& spent,
                                                 std::span<const Trial> trials, bool owed) const;

  // True if a plan that begins now ends within the time.
  [[nodiscard]] bool FitsOne() const;

  // Seconds on the clock, for the `begin_s` of LearnPlan(); 0 if plans are not timed.
  [[nodiscard]] double Now() const { return IsTimed() ? hooks_.elapsed_s() : 0; }

  // Records that a plan which began at `begin_s` is measured. The slowest plan so far is the
  // estimate for the next ones.
  void LearnPlan(double begin_s);

 private:
  [[nodiscard]] bool IsTimed() const { return plan_s_ > 0 && hooks_.elapsed_s; }

  // Seconds of the work that remains after the search.
  [[nodiscard]] double SecondsAfter(std::span<const Trial> trials) const;

  const TunerOptions& options_;
  const TunerHooks& hooks_;
  double plan_s_;  // seconds of a plan: the slowest, at least the estimate; 0: not timed
};

}  // namespace halftone
