#include "src/api/bank/trial_log.h"

#include <utility>

namespace halftone {

std::vector<Trial> TrialLog::Known() {
  std::vector<Trial> trials;
  for (StoredTrial& stored : store_.History(workload_key_)) {
    Note(stored.id, stored.trial);
    trials.push_back(std::move(stored.trial));
  }
  return trials;
}

void TrialLog::Add(const Trial& trial) {
  Note(store_.AddTrial(workload_key_, trial), trial);
}

std::int64_t TrialLog::RowOf(const Hash128& plan_digest) const {
  const auto found = rows_.find(plan_digest);
  return found == rows_.end() ? 0 : found->second;
}

void TrialLog::Note(std::int64_t row, const Trial& trial) {
  if (trial.measurement() != nullptr) {
    rows_.insert_or_assign(trial.plan_digest, row);
  }
}

}  // namespace halftone
