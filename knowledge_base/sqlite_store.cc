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
        InTransaction([&] { InsertWorkload(key, workload); });
      }
      return key;
    });
  }

  void AddTrial(const Hash128& workload_key, const Trial& trial) override {
    CheckStorable(trial);
    TranslatingSqliteErrors(database_, [&] {
      InTransaction([&] { InsertTrial(*connection_, ExistingIdOf(workload_key), Now(), trial); });
    });
  }

  void AddFront(const StoredFront& front) override {
    CheckStorable(front);
    TranslatingSqliteErrors(database_, [&] {
      InTransaction(
          [&] { InsertFront(*connection_, ExistingIdOf(front.workload_key), Now(), front); });
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
    return TranslatingSqliteErrors(database_, [&] { return SelectWorkloads(); });
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

  std::optional<std::int64_t> IdOf(const Hash128& key) {
    SQLite::Statement select(*connection_, "SELECT id FROM workload WHERE key = ?");
    select.bind(1, key.ToHex());
    return select.executeStep() ? std::optional(select.getColumn(0).getInt64()) : std::nullopt;
  }

  std::int64_t ExistingIdOf(const Hash128& key) {
    const auto id = IdOf(key);
    if (!id) {
      ThrowUnknownWorkload(key);
    }
    return *id;
  }

  void InsertWorkload(const Hash128& key, const Workload& workload) {
    // OR IGNORE: another process may have added it since it was looked for.
    SQLite::Statement insert(
        *connection_,
        "INSERT OR IGNORE INTO workload(key, model_name, model_hash, input_shapes, data_hash, "
        "target, isa, kernel_table_hash, tool_version, threads, recorded_at, kernel_choices) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, key.ToHex());
    insert.bind(2, workload.model_name);
    insert.bind(3, workload.model_hash.ToHex());
    insert.bind(4, workload.input_shapes);
    insert.bind(5, workload.data_hash.ToHex());
    insert.bind(6, workload.target);
    insert.bind(7, workload.isa);
    insert.bind(8, workload.kernel_table_hash.ToHex());
    insert.bind(9, workload.tool_version);
    insert.bind(10, workload.threads);
    insert.bind(11, Now());
    insert.bind(12, workload.kernel_choices == Hash128{} ? "" : workload.kernel_choices.ToHex());
    insert.exec();
  }

  std::vector<WorkloadSummary> SelectWorkloads() {
    SQLite::Statement row(
        *connection_,
        "SELECT key, model_name, model_hash, input_shapes, data_hash, target, isa, "
        "kernel_table_hash, tool_version, threads, "
        "(SELECT count(DISTINCT identity) FROM trial WHERE workload_id = workload.id), "
        "(SELECT count(*) FROM trial WHERE workload_id = workload.id), "
        "(SELECT count(*) FROM front WHERE workload_id = workload.id), "
        "max(recorded_at, "
        "ifnull((SELECT max(recorded_at) FROM trial WHERE workload_id = workload.id), ''), "
        "ifnull((SELECT max(recorded_at) FROM front WHERE workload_id = workload.id), '')), "
        "kernel_choices FROM workload ORDER BY id");
    std::vector<WorkloadSummary> summaries;
    while (row.executeStep()) {
      WorkloadSummary summary;
      summary.key = HashFromText(row.getColumn(0).getString());
      summary.workload = {.model_name = row.getColumn(1).getString(),
                          .model_hash = HashFromText(row.getColumn(2).getString()),
                          .input_shapes = row.getColumn(3).getString(),
                          .data_hash = HashFromText(row.getColumn(4).getString()),
                          .target = row.getColumn(5).getString(),
                          .isa = row.getColumn(6).getString(),
                          .kernel_table_hash = HashFromText(row.getColumn(7).getString()),
                          .tool_version = row.getColumn(8).getString(),
                          .threads = row.getColumn(9).getInt(),
                          .kernel_choices = {}};
      if (const std::string choices = row.getColumn(14).getString(); !choices.empty()) {
        summary.workload.kernel_choices = HashFromText(choices);
      }
      if (KeyOf(summary.workload) != summary.key) {
        throw DamagedBank(database_, "workload " + summary.key.ToHex() + " does not match its key");
      }
      summary.trials = row.getColumn(10).getInt64();
      summary.records = row.getColumn(11).getInt64();
      summary.fronts = row.getColumn(12).getInt64();
      summary.last_recorded_at = row.getColumn(13).getString();
      summaries.push_back(std::move(summary));
    }
    return summaries;
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
