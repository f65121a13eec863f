// Log of the trials of one run: stores them and remembers their rows in the knowledge base.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "knowledge_base/store.h"

namespace halftone {

// Log between a search and the store of its workload. A front refers to trials by row, because the
// content of a trial in memory may differ from its row: reports add values by sample, names and the
// loss by --metric. `store` must outlive the object.
class TrialLog {
 public:
  TrialLog(TrialStore& store, const Hash128& workload_key)
      : store_(store), workload_key_(workload_key) {}

  // Returns the stored trials of the workload, oldest first, and remembers their rows.
  std::vector<Trial> Known();
  void Add(const Trial& trial);

  // Row of the newest measured trial of this plan that Known() returned or Add() stored; 0: none.
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
