// Everything that a bank holds, record by record, and banks that take records in: what merging,
// exporting and importing are made of.
//
// A record is what was written at one moment: a workload, a trial, a front, a sensitivity or an
// operator timing, with the content that its checksum covers and the time it was recorded. Nothing
// in it says which row of which file it was, so that two banks agree on what is the same record.
// Measurements are append-only and keys are computed from content: of two banks, none can say
// something else of the same record, so that a union has no conflicts.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "knowledge_base/store.h"

namespace halftone {

struct WorkloadRecord {
  std::string recorded_at;
  Workload workload;
};

struct TrialRecord {
  Hash128 workload_key;
  std::string recorded_at;
  Trial trial;
};

struct FrontRecord {
  StoredFront front;  // its id means nothing
};

struct SensitivityRecord {
  Hash128 workload_key;
  std::string recorded_at;
  Hash128 decisions;
  Sensitivity sensitivity;
};

struct TimingRecord {
  KernelVersion kernels;
  std::string recorded_at;
  OperatorTiming timing;
};

// In the order of kRecordNames.
using BankRecord =
    std::variant<WorkloadRecord, TrialRecord, FrontRecord, SensitivityRecord, TimingRecord>;
inline constexpr std::size_t kRecordKinds = std::variant_size_v<BankRecord>;
inline constexpr std::array<std::string_view, kRecordKinds> kRecordNames = {
    "workload", "trial", "front", "sensitivity", "operator_timing"};

// Says two records equal when, and only when, they have the same content and the same time.
std::string IdentityOf(const BankRecord& record);

using RecordVisitor = std::function<void(const BankRecord&)>;
// Calls the visitor with one record after the other; a workload comes before what belongs to it.
using RecordSource = std::function<void(const RecordVisitor&)>;

// The records of a bank, as they were at one moment, in an order that depends on the records only:
// workloads by time and key, each followed by its trials, fronts and sensitivities by time, then
// the timings by time. Errors as OpenSqliteStore() and of rows that do not match their checksum.
void ReadBank(const std::filesystem::path& database, const RecordVisitor& visit);

struct AddedRecords {
  std::array<std::int64_t, kRecordKinds> added = {};
  std::array<std::int64_t, kRecordKinds> known = {};  // were in the bank already
};

// The union of a bank and of what `source` gives, in one transaction: an error of either leaves the
// bank as it was. A record that comes n times is there n times at least afterwards, so that the
// union of a bank with itself, or with the same source again, changes nothing. A workload that both
// know keeps the name and the time of the earlier one. Error kDatabase, also for a record of a
// workload that neither has.
AddedRecords AddToBank(const std::filesystem::path& database, const RecordSource& source);

}  // namespace halftone
