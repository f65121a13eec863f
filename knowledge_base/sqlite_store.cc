#include "knowledge_base/sqlite_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// A read transaction, which begins with its first query.
class SqliteSnapshot : public StoreSnapshot {
 public:
  explicit SqliteSnapshot(SQLite::Database& connection) : transaction_(connection) {
    connection.execAndGet("SELECT count(*) FROM sqlite_schema");
  }

 private:
  SQLite::Transaction transaction_;
};

class SqliteStore : public TrialStore {
 public:
  SqliteStore(std::filesystem::path database, OpenMode mode, const SqliteOptions& options)
      : database_(std::move(database)), connection_(OpenConnection(database_, mode, options)) {}

  std::unique_ptr<StoreSnapshot> Snapshot() override {
    return TranslatingSqliteErrors(database_,
                                   [&] { return std::make_unique<SqliteSnapshot>(*connection_); });
  }

  Hash128 AddWorkload(const Workload& workload) override {
    const Hash128 key = KeyOf(workload);
    return TranslatingSqliteErrors(database_, [&] {
      if (!IdOf(key)) {
        InTransaction([&] { InsertWorkload(*connection_, key, Now(), workload); });
      }
      added_.insert_or_assign(key, workload);
      return key;
    });
  }

  std::int64_t AddTrial(const Hash128& workload_key, const Trial& trial) override {
    CheckStorable(trial);
    return TranslatingSqliteErrors(database_, [&] {
      std::int64_t id = 0;
      InTransaction([&] { id = InsertTrial(*connection_, IdToAddTo(workload_key), Now(), trial); });
      return id;
    });
  }

  void AddFront(const StoredFront& front, std::span<const Trial> trials) override {
    CheckStorable(front, trials);
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] {
        const std::int64_t workload_id = IdToAddTo(front.workload_key);
        StoredFront linked = front;
        for (std::size_t i = 0; i < front.members.size(); ++i) {
          linked.members[i] =
              Linked(workload_id, front.members[i], trials.empty() ? nullptr : &trials[i]);
        }
        InsertFront(*connection_, workload_id, Now(), linked);
      });
    });
  }

  std::vector<StoredTrial> Trials(const Hash128& workload_key) override {
    return TrialsOf(workload_key, TrialRows::kNewestOfEach);
  }

  std::vector<StoredTrial> History(const Hash128& workload_key) override {
    return TrialsOf(workload_key, TrialRows::kAll);
  }

  std::vector<StoredFront> Fronts(const Hash128& workload_key) override {
    return AtOneMoment([&] {
      const auto id = IdOf(workload_key);
      return id ? SelectFronts(*connection_, *id, workload_key) : std::vector<StoredFront>();
    });
  }

  std::vector<WorkloadSummary> Workloads() override {
    return AtOneMoment([&] { return SelectWorkloads(*connection_); });
  }

  void AddSensitivity(const Hash128& workload_key, const Hash128& decisions,
                      const Sensitivity& sensitivity) override {
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] {
        InsertSensitivity(*connection_, IdToAddTo(workload_key), Now(), decisions, sensitivity);
      });
    });
  }

  std::optional<Sensitivity> FindSensitivity(const Hash128& workload_key,
                                             const Hash128& decisions) override {
    return AtOneMoment([&] {
      const auto id = IdOf(workload_key);
      return id ? SelectSensitivity(*connection_, *id, decisions) : std::nullopt;
    });
  }

  void AddVersionedTimings(std::span<const VersionedTiming> timings) override {
    for (const VersionedTiming& versioned : timings) {
      CheckStorable(versioned.timing);
    }
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] {
        for (const auto& [kernels, timing] : timings) {
          InsertTiming(*connection_, kernels, Now(), timing);
        }
      });
    });
  }

  std::vector<StoredTiming> OperatorTimings(const KernelVersion& kernels) override {
    return AtOneMoment([&] { return SelectTimings(*connection_, kernels); });
  }

  std::vector<TimingSummary> OperatorTimingSummaries() override {
    return AtOneMoment([&] { return SelectTimingSummaries(*connection_); });
  }

  void AddOperatorProfile(const KernelVersion& kernels, const OperatorProfile& profile) override {
    CheckStorable(profile);
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] { InsertProfile(*connection_, kernels, Now(), profile); });
    });
  }

  std::optional<OperatorProfile> FindOperatorProfile(const KernelVersion& kernels,
                                                     std::string_view op, int threads) override {
    return AtOneMoment([&] { return SelectProfile(*connection_, kernels, op, threads); });
  }

  std::vector<ProfileSummary> OperatorProfileSummaries() override {
    return AtOneMoment([&] { return SelectProfileSummaries(*connection_); });
  }

  void AddCalibration(const BankCalibration& calibration) override {
    CheckStorable(calibration);
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] { InsertCalibration(*connection_, Now(), calibration); });
    });
  }

  std::optional<BankCalibration> FindCalibration(const Hash128& model_hash,
                                                 const Hash128& key) override {
    return AtOneMoment([&] { return SelectCalibration(*connection_, model_hash, key); });
  }

  std::vector<CalibrationSummary> CalibrationSummaries() override {
    return AtOneMoment([&] { return SelectCalibrationSummaries(*connection_); });
  }

 private:
  // The member as its row says it; a row that is not there is made of `trial`.
  FrontMember Linked(std::int64_t workload_id, const FrontMember& member, const Trial* trial) {
    std::optional<StoredTrial> row = SelectMemberTrial(*connection_, workload_id, member);
    if (!row) {
      if (trial == nullptr) {
        ThrowUnknownMember(member);
      }
      row = SelectTrial(*connection_, InsertTrial(*connection_, workload_id, Now(), *trial));
    }
    return MemberOf(*row);
  }

  std::vector<StoredTrial> TrialsOf(const Hash128& workload_key, TrialRows rows) {
    return AtOneMoment([&] {
      const auto id = IdOf(workload_key);
      return id ? SelectTrials(*connection_, *id, rows) : std::vector<StoredTrial>();
    });
  }

  // The queries of one call see one moment, that of the snapshot where there is one.
  template <typename Body>
  std::invoke_result_t<Body> AtOneMoment(Body&& body) {
    return TranslatingSqliteErrors(database_, [&] {
      const bool in_snapshot = sqlite3_get_autocommit(connection_->getHandle()) == 0;
      std::optional<SqliteSnapshot> moment;
      if (!in_snapshot) {
        moment.emplace(*connection_);
      }
      return body();
    });
  }

  // IMMEDIATE: waits for other writers before it begins, and cannot fail half-way for their sake.
  template <typename Body>
  void InTransaction(Body&& body) {
    Check(sqlite3_get_autocommit(connection_->getHandle()) != 0, "writing during a snapshot");
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::IMMEDIATE);
    body();
    transaction.commit();
  }

  std::string Now() {
    return connection_->execAndGet("SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now')").getString();
  }

  std::optional<std::int64_t> IdOf(const Hash128& key) { return WorkloadIdOf(*connection_, key); }

  // Id of a workload that was added through this object; adds it again if another process has
  // removed it. Call within the transaction that adds to it.
  std::int64_t IdToAddTo(const Hash128& key) {
    if (const auto id = IdOf(key)) {
      return *id;
    }
    const auto added = added_.find(key);
    if (added == added_.end()) {
      ThrowUnknownWorkload(key);
    }
    InsertWorkload(*connection_, key, Now(), added->second);
    return IdOf(key).value();
  }

  std::filesystem::path database_;
  std::shared_ptr<SQLite::Database> connection_;
  std::map<Hash128, Workload> added_;
};

}  // namespace

std::filesystem::path DatabasePath(const std::filesystem::path& bank,
                                   std::string_view soc_version) {
  return bank / soc_version / "halftone.db";
}

std::unique_ptr<TrialStore> OpenSqliteStore(const std::filesystem::path& database, OpenMode mode,
                                            const SqliteOptions& options) {
  return std::make_unique<SqliteStore>(database, mode, options);
}

}  // namespace halftone
