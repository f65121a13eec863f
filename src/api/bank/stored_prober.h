// Probes that the knowledge base remembers: the same network, data and kernels are probed once.
#pragma once

#include <optional>

#include "knowledge_base/store.h"
#include "search/probe/prober.h"

namespace halftone {

// What the probes of a finished search left for these decisions; empty: nothing.
std::optional<Sensitivity> FindSensitivity(TrialStore& store, const Hash128& workload_key,
                                           const Decisions& decisions);

class StoredProber : public Prober {
 public:
  // Both must outlive it; without a store every call probes.
  StoredProber(Prober& prober, TrialStore* store, const Hash128& workload_key)
      : prober_(prober), store_(store), workload_key_(workload_key) {}

  // What the store has, else what `prober` finds, which is stored unless it was stopped.
  Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) override;

 private:
  Prober& prober_;
  TrialStore* store_;
  Hash128 workload_key_;
};

}  // namespace halftone
