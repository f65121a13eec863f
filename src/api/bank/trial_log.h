// The trials that one run holds in memory, and their rows in the knowledge base.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "knowledge_base/store.h"

namespace halftone {

// Log between a search and the store of its workload. Fronts refer to rows: a trial in memory may
// be completed for reports afterwards (values by sample, names, the loss by --metric), and is never
// looked up by its content again. `store` must outlive it.
class TrialLog {
 public:
  TrialLog(TrialStore& store, const Hash128& workload_key)
      : store_(store), workload_key_(workload_key) {}

  // The stored trials, oldest first.
  std::vector<Trial> Known();
  void Add(const Trial& trial);

  // The row of the newest trial of this plan that Known() gave or Add() stored; 0: none.
  [[nodiscard]] std::int64_t RowOf(const Hash128& plan_digest) const;

  [[nodiscard]] TrialStore& store() const { return store_; }

  [[nodiscard]] const Hash128& workload_key() const { return workload_key_; }

 private:
  void Note(std::int64_t row, const Trial& trial);

  TrialStore& store_;
  Hash128 workload_key_;
  std::map<Hash128, std::int64_t> rows_;  // by plan; measured trials only
};

}  // namespace halftone
