// Parts of the identity of a record: its workload, its time and the hash of its content.
#pragma once

#include <string>
#include <type_traits>
#include <variant>

#include "knowledge_base/bank_records.h"
#include "src/base/hash.h"

namespace halftone {

// Hash of the content that the record's checksum covers, without the time. The hash of a workload
// is its key.
Hash128 ContentHash(const WorkloadRecord& record);
Hash128 ContentHash(const TrialRecord& record);
Hash128 ContentHash(const FrontRecord& record);
Hash128 ContentHash(const SensitivityRecord& record);
Hash128 ContentHash(const TimingRecord& record);
Hash128 ContentHash(const ProfileRecord& record);
Hash128 ContentHash(const CalibrationRow& record);

template <typename Record>
const std::string& RecordedAt(const Record& record) {
  return record.recorded_at;
}

inline const std::string& RecordedAt(const FrontRecord& record) {
  return record.front.recorded_at;
}

// Key of the workload that the record is, or belongs to; zero for records without a workload.
Hash128 WorkloadKeyOf(const WorkloadRecord& record);
Hash128 WorkloadKeyOf(const FrontRecord& record);

template <typename Record>
Hash128 WorkloadKeyOf(const Record& record) {
  if constexpr (requires { record.workload_key; }) {
    return record.workload_key;
  } else {
    return {};
  }
}

// Index of a kind of records in BankRecord and kRecordNames.
template <typename Record, std::size_t kKind = 0>
constexpr std::size_t KindOf() {
  if constexpr (std::is_same_v<std::variant_alternative_t<kKind, BankRecord>, Record>) {
    return kKind;
  } else {
    return KindOf<Record, kKind + 1>();
  }
}

}  // namespace halftone
