// Prober with a knowledge base: the same network, data and kernels are probed once.
#pragma once

#include <optional>

#include "knowledge_base/store.h"
#include "search/probe/prober.h"

namespace halftone {

// The stored sensitivity of a finished search for these decisions; empty: none.
std::optional<Sensitivity> FindSensitivity(TrialStore& store, const Hash128& workload_key,
                                           const Decisions& decisions);

class StoredProber : public Prober {
 public:
  // Both must outlive it; without a store every call probes.
  StoredProber(Prober& prober, TrialStore* store, const Hash128& workload_key)
      : prober_(prober), store_(store), workload_key_(workload_key) {}

  // The stored sensitivity, else that of `prober`, which is stored unless stopped early.
  Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) override;

 private:
  Prober& prober_;
  TrialStore* store_;
  Hash128 workload_key_;
};

}  // namespace halftone
