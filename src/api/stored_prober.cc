#include "src/api/stored_prober.h"

namespace halftone {

namespace {

// Of what the probes record: what another version left is not looked at.
constexpr std::int64_t kProbesVersion = 3;

Hash128 DigestOf(const Decisions& decisions) {
  Hasher hasher;
  hasher.Add(kProbesVersion).Add(decisions.Digest());
  return hasher.Finish();
}

}  // namespace

Sensitivity StoredProber::Probe(const Decisions& decisions, std::span<const double> losses) {
  const Hash128 digest = DigestOf(decisions);
  if (store_ != nullptr) {
    if (auto known = store_->FindSensitivity(workload_key_, digest)) {
      return *std::move(known);
    }
  }
  Sensitivity sensitivity = prober_.Probe(decisions, losses);
  if (store_ != nullptr && sensitivity.complete) {
    store_->AddSensitivity(workload_key_, digest, sensitivity);
  }
  return sensitivity;
}

}  // namespace halftone
