#include "knowledge_base/sqlite_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <utility>

#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/error.h"

namespace halftone {
namespace {

class SqliteStore : public TrialStore {
 public:
  SqliteStore(std::filesystem::path database, OpenMode mode, const SqliteOptions& options)
      : database_(std::move(database)), connection_(OpenConnection(database_, mode, options)) {}

  Hash128 AddWorkload(const Workload& workload) override {
    const Hash128 key = KeyOf(workload);
    return TranslatingSqliteErrors(database_, [&] {
      if (!IdOf(key)) {
        InTransaction([&] { InsertWorkload(*connection_, key, Now(), workload); });
      }
      return key;
    });
  }

  std::int64_t AddTrial(const Hash128& workload_key, const Trial& trial) override {
    CheckStorable(trial);
    return TranslatingSqliteErrors(database_, [&] {
      std::int64_t id = 0;
      InTransaction(
          [&] { id = InsertTrial(*connection_, ExistingIdOf(workload_key), Now(), trial); });
      return id;
    });
  }

  void AddFront(const StoredFront& front, std::span<const Trial> trials) override {
    CheckStorable(front, trials);
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] {
        const std::int64_t workload_id = ExistingIdOf(front.workload_key);
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
    return TranslatingSqliteErrors(database_, [&] {
      const auto id = IdOf(workload_key);
      return id ? SelectFronts(*connection_, *id, workload_key) : std::vector<StoredFront>();
    });
  }

  std::vector<WorkloadSummary> Workloads() override {
    return TranslatingSqliteErrors(database_, [&] { return SelectWorkloads(*connection_); });
  }

  void AddSensitivity(const Hash128& workload_key, const Hash128& decisions,
                      const Sensitivity& sensitivity) override {
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] {
        InsertSensitivity(*connection_, ExistingIdOf(workload_key), Now(), decisions, sensitivity);
      });
    });
  }

  std::optional<Sensitivity> FindSensitivity(const Hash128& workload_key,
                                             const Hash128& decisions) override {
    return TranslatingSqliteErrors(database_, [&] {
      const auto id = IdOf(workload_key);
      return id ? SelectSensitivity(*connection_, *id, decisions) : std::nullopt;
    });
  }

  void AddOperatorTimings(const KernelVersion& kernels,
                          std::span<const OperatorTiming> timings) override {
    for (const OperatorTiming& timing : timings) {
      CheckStorable(timing);
    }
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] {
        for (const OperatorTiming& timing : timings) {
          InsertTiming(*connection_, kernels, Now(), timing);
        }
      });
    });
  }

  std::vector<StoredTiming> OperatorTimings(const KernelVersion& kernels) override {
    return TranslatingSqliteErrors(database_, [&] { return SelectTimings(*connection_, kernels); });
  }

  std::vector<TimingSummary> OperatorTimingSummaries() override {
    return TranslatingSqliteErrors(database_, [&] { return SelectTimingSummaries(*connection_); });
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
    return TranslatingSqliteErrors(database_, [&] {
      const auto id = IdOf(workload_key);
      return id ? SelectTrials(*connection_, *id, rows) : std::vector<StoredTrial>();
    });
  }

  // IMMEDIATE: waits for other writers before it begins, and cannot fail half-way for their sake.
  template <typename Body>
  void InTransaction(Body&& body) {
    SQLite::Transaction transaction(*connection_, SQLite::TransactionBehavior::IMMEDIATE);
    body();
    transaction.commit();
  }

  std::string Now() {
    return connection_->execAndGet("SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now')").getString();
  }

  std::optional<std::int64_t> IdOf(const Hash128& key) { return WorkloadIdOf(*connection_, key); }

  std::int64_t ExistingIdOf(const Hash128& key) {
    const auto id = IdOf(key);
    if (!id) {
      ThrowUnknownWorkload(key);
    }
    return *id;
  }

  std::filesystem::path database_;
  std::shared_ptr<SQLite::Database> connection_;
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
