#include "knowledge_base/record_identity.h"

#include <fmt/format.h>

#include "knowledge_base/checksum.h"
#include "knowledge_base/profile_json.h"
#include "knowledge_base/sensitivity_json.h"

namespace halftone {

Hash128 ContentHash(const WorkloadRecord& record) {
  return KeyOf(record.workload);
}

Hash128 ContentHash(const TrialRecord& record) {
  return ChecksumOf(record.trial);
}

Hash128 ContentHash(const FrontRecord& record) {
  return ChecksumOf(record.front);
}

Hash128 ContentHash(const SensitivityRecord& record) {
  return ChecksumOf(record.decisions, SensitivityToJson(record.sensitivity));
}

Hash128 ContentHash(const TimingRecord& record) {
  return ChecksumOf(record.kernels, record.timing);
}

Hash128 ContentHash(const ProfileRecord& record) {
  const OperatorProfile& profile = record.profile;
  return ChecksumOf(record.kernels, profile.op, profile.threads, CallsToJson(profile.calls));
}

Hash128 ContentHash(const CalibrationRow& record) {
  return ChecksumOf(record.calibration);
}

Hash128 WorkloadKeyOf(const WorkloadRecord& record) {
  return KeyOf(record.workload);
}

Hash128 WorkloadKeyOf(const FrontRecord& record) {
  return record.front.workload_key;
}

std::string IdentityOf(const BankRecord& record) {
  return std::visit(
      [&](const auto& known) {
        return fmt::format("{} {} {} {}", kRecordNames.at(record.index()),
                           WorkloadKeyOf(known).ToHex(), RecordedAt(known),
                           ContentHash(known).ToHex());
      },
      record);
}

}  // namespace halftone
