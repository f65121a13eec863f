// Rows of the tables workload, trial, metric, front, front_member, provenance, operator_timing,
// operator_profile, calibration and sensitivity: written and read back, with their checksums.
// Callers bring the transaction.
//
// Newer means a later recorded_at, then a higher id: merged banks hold rows of several machines,
// and their ids give only the order of arrival. Every function that reads throws Error kDatabase
// for a row that does not match its checksum.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/store.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
class Statement;
}  // namespace SQLite

namespace halftone {

struct WorkloadRow {
  Hash128 key;
  Workload workload;
  std::string recorded_at;
};

// Inserts the workload unless the key is there already.
void InsertWorkload(SQLite::Database& connection, const Hash128& key,
                    const std::string& recorded_at, const Workload& workload);
// Gives the workload with this key the name and the time when they are earlier.
void TakeEarlierName(SQLite::Database& connection, const Hash128& key,
                     const std::string& recorded_at, const Workload& workload);
std::optional<std::int64_t> WorkloadIdOf(SQLite::Database& connection, const Hash128& key);
// `id` must be one of the table, here and below.
WorkloadRow SelectWorkload(SQLite::Database& connection, std::int64_t id);
// Rows of TrialStore::Workloads().
std::vector<WorkloadSummary> SelectWorkloads(SQLite::Database& connection);

// Inserts many trials with statements that are prepared once. The connection must outlive it.
class TrialInserter {
 public:
  explicit TrialInserter(SQLite::Database& connection);
  ~TrialInserter();
  TrialInserter(const TrialInserter&) = delete;
  TrialInserter& operator=(const TrialInserter&) = delete;

  // Returns the id of the row.
  std::int64_t Insert(std::int64_t workload_id, const std::string& recorded_at, const Trial& trial);

 private:
  struct Statements;
  SQLite::Database& connection_;
  std::unique_ptr<Statements> statements_;
};

// Returns the id of the row.
std::int64_t InsertTrial(SQLite::Database& connection, std::int64_t workload_id,
                         const std::string& recorded_at, const Trial& trial);
void InsertFront(SQLite::Database& connection, std::int64_t workload_id,
                 const std::string& recorded_at, const StoredFront& front);

// Rows to select, oldest first: the newest of each identity, or all.
enum class TrialRows { kNewestOfEach, kAll };

std::vector<StoredTrial> SelectTrials(SQLite::Database& connection, std::int64_t workload_id,
                                      TrialRows rows);

// Reads many trials with statements that are prepared once. The connection must outlive it.
class TrialReader {
 public:
  explicit TrialReader(SQLite::Database& connection);
  ~TrialReader();
  TrialReader(const TrialReader&) = delete;
  TrialReader& operator=(const TrialReader&) = delete;

  StoredTrial Read(std::int64_t id);

 private:
  struct Statements;
  std::unique_ptr<Statements> statements_;
};

// All measurements and rejections of one plan, oldest first.
std::vector<StoredTrial> SelectTrialsOfPlan(SQLite::Database& connection, std::int64_t workload_id,
                                            const Hash128& plan_digest);
StoredTrial SelectTrial(SQLite::Database& connection, std::int64_t id);
// The newest first.
std::vector<StoredFront> SelectFronts(SQLite::Database& connection, std::int64_t workload_id,
                                      const Hash128& workload_key);
StoredFront SelectFront(SQLite::Database& connection, std::int64_t id, const Hash128& workload_key);

// The trial that a member refers to (knowledge_base/front_trials.h); empty: there is none.
std::optional<StoredTrial> SelectMemberTrial(SQLite::Database& connection, std::int64_t workload_id,
                                             const FrontMember& member);
void InsertMembers(SQLite::Database& connection, std::int64_t front_id,
                   const std::vector<FrontMember>& members);
std::vector<FrontMember> SelectMembers(SQLite::Database& connection, std::int64_t front_id);

// Binds the parameters 1 to 4: isa, kernel_table_hash, tool_version, cpu.
void BindKernels(SQLite::Statement& statement, const KernelVersion& kernels);

void InsertTiming(SQLite::Database& connection, const KernelVersion& kernels,
                  const std::string& recorded_at, const OperatorTiming& timing);
// Rows of TrialStore::OperatorTimings().
std::vector<StoredTiming> SelectTimings(SQLite::Database& connection, const KernelVersion& kernels);

struct TimingRow {
  KernelVersion kernels;
  StoredTiming stored;
};

TimingRow SelectTiming(SQLite::Database& connection, std::int64_t id);
// Passes the timings with these ids one by one.
void VisitTimings(SQLite::Database& connection, std::span<const std::int64_t> ids,
                  const std::function<void(TimingRow)>& visit);
std::vector<TimingSummary> SelectTimingSummaries(SQLite::Database& connection);

void InsertProfile(SQLite::Database& connection, const KernelVersion& kernels,
                   const std::string& recorded_at, const OperatorProfile& profile);
// The newest.
std::optional<OperatorProfile> SelectProfile(SQLite::Database& connection,
                                             const KernelVersion& kernels, std::string_view op,
                                             int threads);

struct ProfileRow {
  KernelVersion kernels;
  std::string recorded_at;
  OperatorProfile profile;
};

ProfileRow SelectProfileRow(SQLite::Database& connection, std::int64_t id);
// Rows of TrialStore::OperatorProfileSummaries().
std::vector<ProfileSummary> SelectProfileSummaries(SQLite::Database& connection);

// Order of the calibrations with a key, that which counts first.
inline constexpr std::string_view kBestCalibrationFirst =
    "(cut = '') DESC, recorded_at DESC, id DESC";

void InsertCalibration(SQLite::Database& connection, const std::string& recorded_at,
                       const BankCalibration& calibration);
// Row of TrialStore::FindCalibration().
std::optional<BankCalibration> SelectCalibration(SQLite::Database& connection,
                                                 const Hash128& model_hash, const Hash128& key);
CalibrationRow SelectCalibrationRow(SQLite::Database& connection, std::int64_t id);

struct CalibrationHead {  // all of a row but its texts
  std::int64_t id = 0;
  std::string operators;
  CalibrationSummary summary;
};

// Heads of all rows, ordered by time; no checksum is checked.
std::vector<CalibrationHead> SelectCalibrationHeads(SQLite::Database& connection);
// Rows of TrialStore::CalibrationSummaries().
std::vector<CalibrationSummary> SelectCalibrationSummaries(SQLite::Database& connection);
// Ids of the rows that do not count.
std::vector<std::int64_t> SelectSupersededCalibrations(SQLite::Database& connection);

void InsertSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                       const std::string& recorded_at, const Hash128& decisions,
                       const Sensitivity& sensitivity);
// The newest.
std::optional<Sensitivity> SelectSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                                             const Hash128& decisions);

struct SensitivityRow {
  std::string recorded_at;
  Hash128 decisions;
  Sensitivity sensitivity;
};

SensitivityRow SelectSensitivityRow(SQLite::Database& connection, std::int64_t id);

// Times and checksums of the rows that belong to the workload, sorted; `table` is one of
// kRecordNames. Rows with the same are the same record.
std::vector<std::pair<std::string, std::string>> SelectSeals(SQLite::Database& connection,
                                                             std::string_view table,
                                                             std::int64_t workload_id);

// Error kDatabase when `text` is not a hash.
Hash128 HashFromText(const std::string& text);

}  // namespace halftone
