#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <exception>
#include <map>
#include <vector>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/checksum.h"
#include "knowledge_base/profile_json.h"
#include "knowledge_base/sensitivity_json.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct ContentHash {
  Hash128 operator()(const WorkloadRecord& record) const { return KeyOf(record.workload); }

  Hash128 operator()(const TrialRecord& record) const { return ChecksumOf(record.trial); }

  Hash128 operator()(const FrontRecord& record) const { return ChecksumOf(record.front); }

  Hash128 operator()(const SensitivityRecord& record) const {
    return ChecksumOf(record.decisions, SensitivityToJson(record.sensitivity));
  }

  Hash128 operator()(const TimingRecord& record) const {
    return ChecksumOf(record.kernels, record.timing);
  }

  Hash128 operator()(const ProfileRecord& record) const {
    const OperatorProfile& profile = record.profile;
    return ChecksumOf(record.kernels, profile.op, profile.threads, CallsToJson(profile.calls));
  }
};

struct RecordedAt {
  const std::string& operator()(const FrontRecord& record) const {
    return record.front.recorded_at;
  }

  template <typename Record>
  const std::string& operator()(const Record& record) const {
    return record.recorded_at;
  }
};

struct WorkloadKey {
  Hash128 operator()(const WorkloadRecord& record) const { return KeyOf(record.workload); }

  Hash128 operator()(const FrontRecord& record) const { return record.front.workload_key; }

  Hash128 operator()(const TimingRecord& /*record*/) const { return {}; }

  Hash128 operator()(const ProfileRecord& /*record*/) const { return {}; }

  template <typename Record>
  Hash128 operator()(const Record& record) const {
    return record.workload_key;
  }
};

class BankWriter {
 public:
  explicit BankWriter(SQLite::Database& connection) : connection_(connection) {}

  // True: it was not there.
  bool Add(const BankRecord& record) {
    return std::visit([&](const auto& known) { return AddRecord(known); }, record);
  }

 private:
  // The n-th time that a record comes it must be there n times.
  template <typename Record>
  bool AddRecord(const Record& record) {
    const std::int64_t times = ++seen_[IdentityOf(BankRecord(record))];
    if (Stored(record) >= times) {
      return false;
    }
    Insert(record);
    return true;
  }

  bool AddRecord(const WorkloadRecord& record) {
    const Hash128 key = KeyOf(record.workload);
    if (!WorkloadIdOf(connection_, key)) {
      InsertWorkload(connection_, key, record.recorded_at, record.workload);
      return true;
    }
    SQLite::Statement update(
        connection_,
        "UPDATE workload SET recorded_at = ?1, model_name = ?2, checksum = ?4 "
        "WHERE key = ?3 AND (recorded_at > ?1 OR (recorded_at = ?1 AND model_name > ?2))");
    update.bind(1, record.recorded_at);
    update.bind(2, record.workload.model_name);
    update.bind(3, key.ToHex());
    update.bind(4, RowChecksum(ChecksumOf(record.workload), record.recorded_at).ToHex());
    update.exec();
    return false;
  }

  std::int64_t WorkloadId(const Hash128& key) {
    const auto id = WorkloadIdOf(connection_, key);
    if (!id) {
      ThrowUnknownWorkload(key);
    }
    return *id;
  }

  // Number of records in the bank with this content and time. `by` narrows the search to rows that
  // an index finds: a condition with a parameter for each of `values`.
  template <typename Record>
  std::int64_t Count(std::string_view table, std::string_view by,
                     const std::vector<std::string>& values, const Record& record) {
    SQLite::Statement count(
        connection_,
        fmt::format("SELECT count(*) FROM {} WHERE {} AND recorded_at = ? AND checksum IN (?, ?)",
                    table, by));
    int parameter = 0;
    if (const Hash128 key = WorkloadKey()(record); key != Hash128{}) {
      count.bind(++parameter, WorkloadId(key));
    }
    for (const std::string& value : values) {
      count.bind(++parameter, value);
    }
    count.bind(++parameter, RecordedAt()(record));
    const Hash128 content = ContentHash()(record);
    count.bind(++parameter, RowChecksum(content, RecordedAt()(record)).ToHex());
    count.bind(++parameter, content.ToHex());  // of before schema 9
    count.executeStep();
    return count.getColumn(0).getInt64();
  }

  std::int64_t Stored(const TrialRecord& record) {
    return Count("trial", "workload_id = ? AND identity = ?", {IdentityOf(record.trial)}, record);
  }

  std::int64_t Stored(const FrontRecord& record) {
    return Count("front", "workload_id = ?", {}, record);
  }

  std::int64_t Stored(const SensitivityRecord& record) {
    return Count("sensitivity", "workload_id = ? AND decisions = ?", {record.decisions.ToHex()},
                 record);
  }

  std::int64_t Stored(const TimingRecord& record) {
    return Count(
        "operator_timing",
        "isa = ? AND kernel_table_hash = ? AND tool_version = ? AND cpu = ? AND signature = ?",
        {record.kernels.isa, record.kernels.kernel_table_hash.ToHex(), record.kernels.tool_version,
         record.kernels.cpu, record.timing.signature},
        record);
  }

  std::int64_t Stored(const ProfileRecord& record) {
    return Count("operator_profile",
                 "isa = ? AND kernel_table_hash = ? AND tool_version = ? AND cpu = ? AND op = ?",
                 {record.kernels.isa, record.kernels.kernel_table_hash.ToHex(),
                  record.kernels.tool_version, record.kernels.cpu, record.profile.op},
                 record);
  }

  void Insert(const TrialRecord& record) {
    CheckStorable(record.trial);
    InsertTrial(connection_, WorkloadId(record.workload_key), record.recorded_at, record.trial);
  }

  void Insert(const FrontRecord& record) {
    CheckStorable(record.front);
    const std::int64_t workload_id = WorkloadId(record.front.workload_key);
    // A member whose trial neither bank has stays as the record has it: verify_bank.h finds it.
    StoredFront linked = record.front;
    for (FrontMember& member : linked.members) {
      member.trial_id = 0;  // a row of the other bank
      const auto trial = SelectMemberTrial(connection_, workload_id, member);
      member.trial_id = trial ? trial->id : 0;
    }
    InsertFront(connection_, workload_id, linked.recorded_at, linked);
  }

  void Insert(const SensitivityRecord& record) {
    InsertSensitivity(connection_, WorkloadId(record.workload_key), record.recorded_at,
                      record.decisions, record.sensitivity);
  }

  void Insert(const TimingRecord& record) {
    CheckStorable(record.timing);
    InsertTiming(connection_, record.kernels, record.recorded_at, record.timing);
  }

  void Insert(const ProfileRecord& record) {
    CheckStorable(record.profile);
    InsertProfile(connection_, record.kernels, record.recorded_at, record.profile);
  }

  SQLite::Database& connection_;
  std::map<std::string, std::int64_t> seen_;  // how often each record came
};

}  // namespace

std::string IdentityOf(const BankRecord& record) {
  return fmt::format("{} {} {} {}", kRecordNames.at(record.index()),
                     std::visit(WorkloadKey(), record).ToHex(), std::visit(RecordedAt(), record),
                     std::visit(ContentHash(), record).ToHex());
}

AddedRecords AddToBank(const std::filesystem::path& database, const RecordSource& source) {
  AddedRecords result;
  std::exception_ptr error_of_source;  // which names its own file, not this one
  TranslatingSqliteErrors(database, [&] {
    const auto connection = OpenConnection(database, OpenMode::kReadWrite, {});
    SQLite::Transaction transaction(*connection, SQLite::TransactionBehavior::IMMEDIATE);
    BankWriter writer(*connection);
    try {
      source([&](const BankRecord& record) {
        TranslatingSqliteErrors(database, [&] {
          ++(writer.Add(record) ? result.added : result.known).at(record.index());
        });
      });
    } catch (...) {
      error_of_source = std::current_exception();
      return;
    }
    transaction.commit();
  });
  if (error_of_source) {
    std::rethrow_exception(error_of_source);
  }
  return result;
}

}  // namespace halftone
