// Trials of earlier runs, found by plan.
#pragma once

#include <map>
#include <span>

#include "search/trial/trial.h"
#include "src/base/hash.h"

namespace halftone {

// Index of trials, oldest first; `trials` must outlive it. A plan has two trials if it was measured
// again for the front: the last one is its result, the first one is what the strategy saw. A
// strategy that sees the same trials again proposes the same candidates. So a search that is
// repeated on a full knowledge base measures nothing.
class KnownTrials {
 public:
  explicit KnownTrials(std::span<const Trial> trials) : trials_(trials) {
    for (const Trial& trial : trials) {
      if (trial.plan_digest != Hash128{}) {
        const auto [entry, is_new] = by_plan_.try_emplace(trial.plan_digest, Known{&trial, &trial});
        entry->second.last = &trial;
      }
    }
  }

  struct Known {
    const Trial* first;
    const Trial* last;
  };

  // Null if the plan is unknown.
  [[nodiscard]] const Known* Find(const Hash128& plan_digest) const {
    const auto found = by_plan_.find(plan_digest);
    return found == by_plan_.end() ? nullptr : &found->second;
  }

  // True if an equal rejection (candidate, plan and reason) is among the trials.
  [[nodiscard]] bool HasRejection(const Trial& rejected) const {
    for (const Trial& trial : trials_) {
      if (trial == rejected) {
        return true;
      }
    }
    return false;
  }

 private:
  std::span<const Trial> trials_;
  std::map<Hash128, Known> by_plan_;
};

}  // namespace halftone
