#include "src/api/bank/stored_prober.h"

namespace halftone {
namespace {

// Version of what the probes record: results of another version are not used.
constexpr std::int64_t kProbesVersion = 4;

Hash128 DigestOf(const Decisions& decisions) {
  Hasher hasher;
  hasher.Add(kProbesVersion).Add(decisions.Digest());
  return hasher.Finish();
}

}  // namespace

std::optional<Sensitivity> FindSensitivity(TrialStore& store, const Hash128& workload_key,
                                           const Decisions& decisions) {
  return store.FindSensitivity(workload_key, DigestOf(decisions));
}

Sensitivity StoredProber::Probe(const Decisions& decisions, std::span<const double> losses) {
  if (store_ != nullptr) {
    if (auto known = FindSensitivity(*store_, workload_key_, decisions)) {
      return *std::move(known);
    }
  }
  Sensitivity sensitivity = prober_.Probe(decisions, losses);
  if (store_ != nullptr && sensitivity.complete && sensitivity.in_full) {
    store_->AddSensitivity(workload_key_, DigestOf(decisions), sensitivity);
  }
  return sensitivity;
}

}  // namespace halftone
