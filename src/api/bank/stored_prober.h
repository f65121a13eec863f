// Prober with a knowledge base, so that a network is probed once with the same data and kernels.
#pragma once

#include <optional>

#include "knowledge_base/store.h"
#include "search/probe/prober.h"

namespace halftone {

// Stored sensitivity of complete probes of these decisions; empty: none.
std::optional<Sensitivity> FindSensitivity(TrialStore& store, const Hash128& workload_key,
                                           const Decisions& decisions);

class StoredProber : public Prober {
 public:
  // `prober` and `store` must outlive the object. Null `store`: every call probes.
  StoredProber(Prober& prober, TrialStore* store, const Hash128& workload_key)
      : prober_(prober), store_(store), workload_key_(workload_key) {}

  // Returns the stored sensitivity if there is one. Otherwise returns that of `prober` and stores
  // it if it is complete and in full: a longer search must not take that of a short one.
  Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) override;

 private:
  Prober& prober_;
  TrialStore* store_;
  Hash128 workload_key_;
};

}  // namespace halftone
