// Functions that write and read the rows of a bank, in all tables but meta. The caller brings the
// transaction.
//
// Functions that return whole rows check the checksum of each, and throw Error kDatabase for a row
// that does not match. SelectMembers(), SelectSeals(), SelectCalibrationHeads(),
// SelectCalibrationSummaries() and SelectSupersededCalibrations() read parts of rows, and check no
// checksums.
//
// The newer of two rows is the one with the later recorded_at, and with the higher id where times
// are equal. Ids alone would not do: a merged bank holds rows of several machines, and ids give
// only the order of their arrival.
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

// Inserts the workload unless the table has its key.
void InsertWorkload(SQLite::Database& connection, const Hash128& key,
                    const std::string& recorded_at, const Workload& workload);
// Gives the stored workload with this key the time and the model_name of `workload`, if that time
// is earlier, or if it is equal and the name comes first in alphabetical order.
void TakeEarlierName(SQLite::Database& connection, const Hash128& key,
                     const std::string& recorded_at, const Workload& workload);
std::optional<std::int64_t> WorkloadIdOf(SQLite::Database& connection, const Hash128& key);
// Here and below, `id` must be the id of a row of the table.
WorkloadRow SelectWorkload(SQLite::Database& connection, std::int64_t id);
// The result of TrialStore::Workloads().
std::vector<WorkloadSummary> SelectWorkloads(SQLite::Database& connection);

// Inserts many trials with statements that are prepared once. The connection must outlive the
// inserter.
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

// Trials to select: the newest of each IdentityOf() (knowledge_base/storable.h), or all.
enum class TrialRows { kNewestOfEach, kAll };

// The trials of a workload, oldest first.
std::vector<StoredTrial> SelectTrials(SQLite::Database& connection, std::int64_t workload_id,
                                      TrialRows rows);

// Reads many trials with statements that are prepared once. The connection must outlive the
// reader.
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
// All fronts of a workload, the newest first.
std::vector<StoredFront> SelectFronts(SQLite::Database& connection, std::int64_t workload_id,
                                      const Hash128& workload_key);
StoredFront SelectFront(SQLite::Database& connection, std::int64_t id, const Hash128& workload_key);

// The trial that FindMember() (knowledge_base/front_trials.h) gives for a member; empty if there is
// none.
std::optional<StoredTrial> SelectMemberTrial(SQLite::Database& connection, std::int64_t workload_id,
                                             const FrontMember& member);
void InsertMembers(SQLite::Database& connection, std::int64_t front_id,
                   const std::vector<FrontMember>& members);
std::vector<FrontMember> SelectMembers(SQLite::Database& connection, std::int64_t front_id);

// Binds the parameters 1 to 4: isa, kernel_table_hash, tool_version, cpu.
void BindKernels(SQLite::Statement& statement, const KernelVersion& kernels);

void InsertTiming(SQLite::Database& connection, const KernelVersion& kernels,
                  const std::string& recorded_at, const OperatorTiming& timing);
// The result of TrialStore::OperatorTimings().
std::vector<StoredTiming> SelectTimings(SQLite::Database& connection, const KernelVersion& kernels);

struct TimingRow {
  KernelVersion kernels;
  StoredTiming stored;
};

TimingRow SelectTiming(SQLite::Database& connection, std::int64_t id);
// Calls `visit` with each timing that has one of these ids, in the order of `ids`.
void VisitTimings(SQLite::Database& connection, std::span<const std::int64_t> ids,
                  const std::function<void(TimingRow)>& visit);
// The result of TrialStore::OperatorTimingSummaries().
std::vector<TimingSummary> SelectTimingSummaries(SQLite::Database& connection);

void InsertProfile(SQLite::Database& connection, const KernelVersion& kernels,
                   const std::string& recorded_at, const OperatorProfile& profile);
// The newest profile; empty if there is none.
std::optional<OperatorProfile> SelectProfile(SQLite::Database& connection,
                                             const KernelVersion& kernels, std::string_view op,
                                             int threads);

struct ProfileRow {
  KernelVersion kernels;
  std::string recorded_at;
  OperatorProfile profile;
};

ProfileRow SelectProfileRow(SQLite::Database& connection, std::int64_t id);
// The result of TrialStore::OperatorProfileSummaries().
std::vector<ProfileSummary> SelectProfileSummaries(SQLite::Database& connection);

// Terms of ORDER BY for calibrations with one key: the one that counts comes first.
inline constexpr std::string_view kBestCalibrationFirst =
    "(cut = '') DESC, recorded_at DESC, id DESC";

void InsertCalibration(SQLite::Database& connection, const std::string& recorded_at,
                       const BankCalibration& calibration);
// The result of TrialStore::FindCalibration().
std::optional<BankCalibration> SelectCalibration(SQLite::Database& connection,
                                                 const Hash128& model_hash, const Hash128& key);
CalibrationRow SelectCalibrationRow(SQLite::Database& connection, std::int64_t id);

struct CalibrationHead {  // part of a row, read without its long texts
  std::int64_t id = 0;
  std::string operators;
  CalibrationSummary summary;
};

// Heads of all calibrations, ordered by time.
std::vector<CalibrationHead> SelectCalibrationHeads(SQLite::Database& connection);
// The result of TrialStore::CalibrationSummaries().
std::vector<CalibrationSummary> SelectCalibrationSummaries(SQLite::Database& connection);
// Ids of the calibrations other than the one that counts for their key, ascending.
std::vector<std::int64_t> SelectSupersededCalibrations(SQLite::Database& connection);

void InsertSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                       const std::string& recorded_at, const Hash128& decisions,
                       const Sensitivity& sensitivity);
// The newest sensitivity; empty if there is none.
std::optional<Sensitivity> SelectSensitivity(SQLite::Database& connection, std::int64_t workload_id,
                                             const Hash128& decisions);

struct SensitivityRow {
  std::string recorded_at;
  Hash128 decisions;
  Sensitivity sensitivity;
};

SensitivityRow SelectSensitivityRow(SQLite::Database& connection, std::int64_t id);

// Pairs of time and checksum of the rows that belong to the workload, sorted. Rows with equal pairs
// are the same record. `table` is "trial", "front" or "sensitivity".
std::vector<std::pair<std::string, std::string>> SelectSeals(SQLite::Database& connection,
                                                             std::string_view table,
                                                             std::int64_t workload_id);

// Parses 32 hexadecimal digits. Error kDatabase for any other text.
Hash128 HashFromText(const std::string& text);

}  // namespace halftone
