#include "src/api/stored_prober.h"

namespace halftone {

Sensitivity StoredProber::Probe(const Decisions& decisions) {
  const Hash128 digest = decisions.Digest();
  if (store_ != nullptr) {
    if (auto known = store_->FindSensitivity(workload_key_, digest)) {
      return *std::move(known);
    }
  }
  Sensitivity sensitivity = prober_.Probe(decisions);
  if (store_ != nullptr && sensitivity.complete) {
    store_->AddSensitivity(workload_key_, digest, sensitivity);
  }
  return sensitivity;
}

}  // namespace halftone
