// Trials of earlier runs, found by plan.
#pragma once

#include <map>
#include <span>

#include "search/trial.h"
#include "src/base/hash.h"

namespace halftone {

// Refers to the trials that it is made of. When a plan comes twice, the later trial counts.
class KnownTrials {
 public:
  explicit KnownTrials(std::span<const Trial> trials) : trials_(trials) {
    for (const Trial& trial : trials) {
      if (trial.plan_digest != Hash128{}) {
        by_plan_.insert_or_assign(trial.plan_digest, &trial);
      }
    }
  }

  // Null when the plan is not known.
  [[nodiscard]] const Trial* Find(const Hash128& plan_digest) const {
    const auto found = by_plan_.find(plan_digest);
    return found == by_plan_.end() ? nullptr : found->second;
  }

  // Whether this candidate was rejected before, for the same reason, without a plan.
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
  std::map<Hash128, const Trial*> by_plan_;
};

}  // namespace halftone
