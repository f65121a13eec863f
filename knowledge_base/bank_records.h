// Records of a bank: its content piece by piece, for merging, export and import.
//
// A record is a stored workload, trial, front, sensitivity, operator timing, operator profile or
// calibration. It has the content that its checksum covers and the time when it was recorded. It
// has no row id and no file name, so that two banks agree on which records are the same.
// Measurements are append-only, and keys are computed from content. Two banks therefore never
// contradict each other about a record, and their union has no conflicts.
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
  StoredFront front;  // its id and the trial_id of its members are ignored
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

struct ProfileRecord {
  KernelVersion kernels;
  std::string recorded_at;
  OperatorProfile profile;
};

struct CalibrationRow {
  std::string recorded_at;
  BankCalibration calibration;
};

// Record of any kind. The alternatives are in the order of kRecordNames.
using BankRecord = std::variant<WorkloadRecord, TrialRecord, FrontRecord, SensitivityRecord,
                                TimingRecord, ProfileRecord, CalibrationRow>;
inline constexpr std::size_t kRecordKinds = std::variant_size_v<BankRecord>;
inline constexpr std::array<std::string_view, kRecordKinds> kRecordNames = {
    "workload",         "trial",      "front", "sensitivity", "operator_timing",
    "operator_profile", "calibration"};

// Text that is equal for two records if, and only if, they are the same record: of one kind, with
// the same content and the same time. The content of a workload is its key here; model_name and
// operators do not count.
std::string IdentityOf(const BankRecord& record);

using RecordVisitor = std::function<void(const BankRecord&)>;
// Calls the visitor once for each record. A workload comes before the records that belong to it.
using RecordSource = std::function<void(const RecordVisitor&)>;

// Visits the records of a bank as of one moment. Workloads come by time and key, each followed by
// its trials, fronts and sensitivities. Then come operator timings, operator profiles and
// calibrations. Each of these kinds is ordered by time, and by row id where times are equal.
// Errors: those of OpenSqliteStore(), and kDatabase for a row that does not match its checksum.
void ReadBank(const std::filesystem::path& database, const RecordVisitor& visit);

struct AddedRecords {
  std::array<std::int64_t, kRecordKinds> added = {};  // by kind
  std::array<std::int64_t, kRecordKinds> known = {};  // by kind; were in the bank before
};

// Adds the records of `source` to a bank in one transaction. An error of the source or of the bank
// leaves the bank as it was. A record that the source has n times is in the bank at least n times
// afterwards: adding the same source again, or a bank to itself, changes nothing. If source and
// bank have the same workload, it gets the name and the time of the earlier of the two. Error
// kDatabase also if the workload of a record, or a trial of a front, is neither in the source nor
// in the bank. Exceptions of `source` reach the caller unchanged.
AddedRecords AddToBank(const std::filesystem::path& database, const RecordSource& source);

}  // namespace halftone
