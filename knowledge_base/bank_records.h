// Records: the content of a bank one by one, for merging, export and import.
//
// A record is what one write stored: a workload, a trial, a front, a sensitivity, an operator
// timing, an operator profile or a calibration, with the content that its checksum covers and the
// time it was recorded. It does not contain its row number or file, so that two banks agree on
// which records are the same. Measurements are append-only and keys are computed from content: two
// banks never contradict each other about a record, so that a union has no conflicts.
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
  StoredFront front;  // its id is ignored
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

// In the order of kRecordNames.
using BankRecord = std::variant<WorkloadRecord, TrialRecord, FrontRecord, SensitivityRecord,
                                TimingRecord, ProfileRecord, CalibrationRow>;
inline constexpr std::size_t kRecordKinds = std::variant_size_v<BankRecord>;
inline constexpr std::array<std::string_view, kRecordKinds> kRecordNames = {
    "workload",         "trial",      "front", "sensitivity", "operator_timing",
    "operator_profile", "calibration"};

// Equal for two records when, and only when, they have the same content and the same time.
std::string IdentityOf(const BankRecord& record);

using RecordVisitor = std::function<void(const BankRecord&)>;
// Calls the visitor once per record; a workload comes before the records that belong to it.
using RecordSource = std::function<void(const RecordVisitor&)>;

// Visits the records of a bank as of one moment, in an order that depends on the records only:
// workloads by time and key, each followed by its trials, fronts and sensitivities by time, then
// the timings by time, then the profiles, then the calibrations. Errors as OpenSqliteStore() and
// for rows that do not match their checksum.
void ReadBank(const std::filesystem::path& database, const RecordVisitor& visit);

struct AddedRecords {
  std::array<std::int64_t, kRecordKinds> added = {};
  std::array<std::int64_t, kRecordKinds> known = {};  // were in the bank before
};

// Adds the records of `source` to a bank, in one transaction: an error of either leaves the bank as
// it was. A record that comes n times is in the bank at least n times afterwards, so that adding a
// bank to itself, or the same source again, changes nothing. A workload known to both keeps the
// name and the time of the earlier one. Error kDatabase, also for a record of a workload that
// neither has.
AddedRecords AddToBank(const std::filesystem::path& database, const RecordSource& source);

}  // namespace halftone
