// Trials of earlier runs, found by plan.
#pragma once

#include <map>
#include <span>

#include "search/trial/trial.h"
#include "src/base/hash.h"

namespace halftone {

// Refers to its trials, oldest first. When a plan comes twice (it was measured again for the
// front), the last trial is its result, and the first is the one that the search saw: a strategy
// that sees the same trials proposes the same, so that a search repeated on a full knowledge base
// measures nothing.
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

  // Null when the plan is not known.
  [[nodiscard]] const Known* Find(const Hash128& plan_digest) const {
    const auto found = by_plan_.find(plan_digest);
    return found == by_plan_.end() ? nullptr : &found->second;
  }

  // True if this candidate was rejected before, for the same reason, without a plan.
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
