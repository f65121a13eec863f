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

// Plans, candidates and probes that a search has spent.
struct SearchSpent {
  std::size_t measured = 0;  // plans run in this call
  std::size_t plans = 0;     // different plans, including known ones
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
  // `options` and `hooks` must outlive it.
  SearchBudget(const TunerOptions& options, const TunerHooks& hooks)
      : options_(options), hooks_(hooks), plan_s_(options.plan_s) {}

  [[nodiscard]] bool is_interrupted() const {
    return hooks_.stop_requested && hooks_.stop_requested();
  }

  // Returns the reason why the search must stop before the next plan; empty if it may go on.
  // `trials`: all trials so far. Time to confirm their front is reserved (TunerOptions::confirm_s).
  // With `owed`, the time of one more plan is reserved, too.
  [[nodiscard]] std::optional<SearchStop> StopAt(const SearchSpent& spent,
                                                 std::span<const Trial> trials, bool owed) const;

  // True if a plan that begins now would end within time_limit, or if plans are not timed.
  [[nodiscard]] bool FitsOne() const;

  // Seconds on the clock hooks.elapsed_s, for LearnPlan(); 0 if plans are not timed.
  [[nodiscard]] double Now() const { return IsTimed() ? hooks_.elapsed_s() : 0; }

  // Records that the plan begun at `begin_s` has been measured. The estimate for the next plans is
  // the time of the slowest plan so far.
  void LearnPlan(double begin_s);

 private:
  [[nodiscard]] bool IsTimed() const { return plan_s_ > 0 && hooks_.elapsed_s; }

  // Seconds reserved for the work after the search.
  [[nodiscard]] double SecondsAfter(std::span<const Trial> trials) const;

  const TunerOptions& options_;
  const TunerHooks& hooks_;
  // Estimated seconds of a plan: TunerOptions::plan_s, or the time of the slowest plan if that is
  // longer. 0: plans are not timed.
  double plan_s_;
};

}  // namespace halftone
