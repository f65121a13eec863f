#include "knowledge_base/prune_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Rows to delete, by table.
struct Selection {
  std::vector<WorkloadSummary> workloads;
  std::map<std::string_view, std::vector<std::int64_t>> ids;
};

std::vector<std::int64_t> IdsWhere(SQLite::Database& connection, const std::string& query,
                                   std::optional<std::int64_t> parameter = {}) {
  SQLite::Statement row(connection, query);
  if (parameter) {
    row.bind(1, *parameter);
  }
  std::vector<std::int64_t> ids;
  while (row.executeStep()) {
    ids.push_back(row.getColumn(0).getInt64());
  }
  return ids;
}

// The keys of the workloads of each network to which something was added last.
std::set<Hash128> NewestOfEachNetwork(std::vector<WorkloadSummary> workloads, std::int64_t count) {
  std::stable_sort(workloads.begin(), workloads.end(), [](const auto& a, const auto& b) {
    return a.last_recorded_at > b.last_recorded_at;
  });
  std::map<std::tuple<Hash128, std::string, std::string>, std::int64_t> kept;
  std::set<Hash128> keys;
  for (const WorkloadSummary& summary : workloads) {
    const Workload& workload = summary.workload;
    if (++kept[{workload.model_hash, workload.input_shapes, workload.target}] <= count) {
      keys.insert(summary.key);
    }
  }
  return keys;
}

std::vector<WorkloadSummary> WorkloadsToDelete(const std::vector<WorkloadSummary>& workloads,
                                               const PruneOptions& options) {
  const std::set<Hash128> protected_keys =
      NewestOfEachNetwork(workloads, options.keep_newest.value_or(0));
  const bool others_go = options.keep_newest && !options.other_than && !options.before;
  std::vector<WorkloadSummary> going;
  for (const WorkloadSummary& summary : workloads) {
    const bool other = options.other_than && !options.other_than->workload(summary.workload);
    const bool old = options.before && summary.last_recorded_at < *options.before;
    if ((others_go || other || old) && !protected_keys.contains(summary.key)) {
      going.push_back(summary);
    }
  }
  return going;
}

// Loss by which fronts are built (OutputErrorOf() in src/accuracy/discrete_outputs.h); empty: the
// trial does not have it.
std::optional<double> LossOf(const Measurement& measurement) {
  std::optional<double> differ;
  for (const MetricValue& metric : measurement.accuracy.metrics) {
    if (metric.name == "rel_l2") {
      return metric.mean;
    }
    if (metric.name == "agreement") {
      differ = 1 - metric.mean;
    }
  }
  return differ;
}

// A member of the front is no more lossy, and faster beyond both intervals.
bool IsDominated(const Measurement& trial, const std::vector<Trial>& front) {
  const auto loss = LossOf(trial);
  return loss && std::any_of(front.begin(), front.end(), [&](const Trial& member) {
           const Measurement& other = *member.measurement();
           const auto its_loss = LossOf(other);
           return its_loss && *its_loss <= *loss &&
                  other.latency.ratio_interval.high < trial.latency.ratio_interval.low;
         });
}

// The trials of `history` that the front names.
std::vector<const StoredTrial*> TrialsOf(const StoredFront& front,
                                         const std::vector<StoredTrial>& history) {
  std::vector<const StoredTrial*> trials;
  for (const FrontMember& member : front.members) {
    if (const StoredTrial* trial = FindMember(history, member); trial != nullptr) {
      trials.push_back(trial);
    }
  }
  return trials;
}

class Selector {
 public:
  Selector(SQLite::Database& connection, const PruneOptions& options)
      : connection_(connection), options_(options) {}

  Selection Run() {
    const std::vector<WorkloadSummary> workloads = SelectWorkloads(connection_);
    result_.workloads = WorkloadsToDelete(workloads, options_);
    std::set<Hash128> going;
    for (const WorkloadSummary& summary : result_.workloads) {
      going.insert(summary.key);
      result_.ids["workload"].push_back(WorkloadIdOf(connection_, summary.key).value());
    }
    if (options_.superseded || options_.dominated) {
      for (const WorkloadSummary& summary : workloads) {
        if (!going.contains(summary.key)) {
          SelectRowsOf(summary.key);
        }
      }
    }
    SelectOperatorTimings();
    SelectOperatorProfiles();
    SelectCalibrations(workloads, going);
    return std::move(result_);
  }

 private:
  void SelectRowsOf(const Hash128& key) {
    const std::int64_t workload = WorkloadIdOf(connection_, key).value();
    std::vector<StoredFront> fronts = SelectFronts(connection_, workload, key);
    if (options_.superseded && fronts.size() > 1) {
      for (std::size_t i = 1; i < fronts.size(); ++i) {
        result_.ids["front"].push_back(fronts[i].id);
      }
      fronts.resize(1);
    }
    SelectTrialsOf(workload, fronts);
    if (options_.superseded) {
      AddIds("sensitivity",
             "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY decisions ORDER BY "
             "recorded_at DESC, id DESC) AS place FROM sensitivity WHERE workload_id = ?) WHERE "
             "place > 1",
             workload);
    }
  }

  void SelectTrialsOf(std::int64_t workload, const std::vector<StoredFront>& fronts) {
    const std::vector<StoredTrial> history = SelectTrials(connection_, workload, TrialRows::kAll);
    std::set<std::int64_t> named;  // by the fronts that stay
    for (const StoredFront& front : fronts) {
      for (const StoredTrial* trial : TrialsOf(front, history)) {
        named.insert(trial->id);
      }
    }
    std::vector<Trial> newest_front;
    if (!fronts.empty()) {
      for (const StoredTrial* trial : TrialsOf(fronts.front(), history)) {
        newest_front.push_back(trial->trial);
      }
    }
    std::set<std::string> seen;
    for (auto stored = history.rbegin(); stored != history.rend(); ++stored) {
      const bool again = !seen.insert(IdentityOf(stored->trial)).second;
      const Measurement* measurement = stored->trial.measurement();
      const bool beaten =
          options_.dominated && measurement != nullptr && IsDominated(*measurement, newest_front);
      if (((options_.superseded && again) || beaten) && !named.contains(stored->id)) {
        result_.ids["trial"].push_back(stored->id);
      }
    }
  }

  void SelectOperatorTimings() {
    SelectSuperseded("operator_timing", "signature");
    SelectOutdated("operator_timing", [&](std::int64_t id) {
      const TimingRow row = SelectTiming(connection_, id);
      return !options_.other_than->timing(row.kernels, row.stored.timing.signature);
    });
  }

  void SelectOperatorProfiles() {
    SelectSuperseded("operator_profile", "op, threads");
    SelectOutdated("operator_profile", [&](std::int64_t id) {
      const ProfileRow row = SelectProfileRow(connection_, id);
      return !options_.other_than->profile(row.kernels, row.profile.op);
    });
  }

  void SelectCalibrations(const std::vector<WorkloadSummary>& workloads,
                          const std::set<Hash128>& going) {
    std::set<Hash128> networks_that_stay;
    for (const WorkloadSummary& summary : workloads) {
      if (!going.contains(summary.key)) {
        networks_that_stay.insert(summary.workload.model_hash);
      }
    }
    std::set<std::int64_t> selected;
    if (options_.superseded) {
      const auto superseded = SelectSupersededCalibrations(connection_);
      selected.insert(superseded.begin(), superseded.end());
    }
    for (const CalibrationHead& head : SelectCalibrationHeads(connection_)) {
      const bool other = options_.other_than &&
                         !options_.other_than->calibration(head.summary.kernels, head.operators);
      const bool old = options_.before && head.summary.recorded_at < *options_.before &&
                       !networks_that_stay.contains(head.summary.model_hash);
      if (other || old) {
        selected.insert(head.id);
      }
    }
    result_.ids["calibration"].assign(selected.begin(), selected.end());
  }

  // Rows of which there is a newer one with the same kernels and `key`, a list of columns.
  void SelectSuperseded(std::string_view table, std::string_view key) {
    if (options_.superseded) {
      AddIds(table,
             fmt::format("SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY cpu, isa, "
                         "kernel_table_hash, tool_version, {} ORDER BY recorded_at DESC, id DESC) "
                         "AS place FROM {}) WHERE place > 1",
                         key, table));
    }
  }

  // Rows that are not selected yet and were measured with other kernels.
  template <typename Predicate>
  void SelectOutdated(std::string_view table, Predicate&& is_outdated) {
    if (!options_.other_than) {
      return;
    }
    std::vector<std::int64_t>& selected = result_.ids[table];
    const std::set<std::int64_t> known(selected.begin(), selected.end());
    for (const std::int64_t id : IdsWhere(connection_, fmt::format("SELECT id FROM {}", table))) {
      if (!known.contains(id) && is_outdated(id)) {
        selected.push_back(id);
      }
    }
  }

  void AddIds(std::string_view table, const std::string& query,
              std::optional<std::int64_t> parameter = {}) {
    const auto ids = IdsWhere(connection_, query, parameter);
    auto& known = result_.ids[table];
    known.insert(known.end(), ids.begin(), ids.end());
  }

  SQLite::Database& connection_;
  const PruneOptions& options_;
  Selection result_;
};

void Delete(SQLite::Database& connection, const Selection& selection) {
  for (const auto& [table, ids] : selection.ids) {
    SQLite::Statement row(connection, fmt::format("DELETE FROM {} WHERE id = ?", table));
    for (const std::int64_t id : ids) {
      row.bind(1, id);
      row.exec();
      row.reset();
    }
  }
}

std::uintmax_t SizeOf(const std::filesystem::path& database) {
  std::error_code error;
  const auto size = std::filesystem::file_size(database, error);
  return error ? 0 : size;
}

}  // namespace

PruneResult PruneBank(const std::filesystem::path& database, const PruneOptions& options) {
  return TranslatingSqliteErrors(database, [&] {
    const auto connection =
        OpenConnection(database, options.dry_run ? OpenMode::kReadOnly : OpenMode::kReadWrite, {});
    SQLite::Transaction transaction(*connection, options.dry_run
                                                     ? SQLite::TransactionBehavior::DEFERRED
                                                     : SQLite::TransactionBehavior::IMMEDIATE);
    Selection selection = Selector(*connection, options).Run();
    const auto count = [&](std::string_view table) { return std::ssize(selection.ids[table]); };
    PruneResult result{.workloads = std::move(selection.workloads),
                       .fronts = count("front"),
                       .trials = count("trial"),
                       .sensitivities = count("sensitivity"),
                       .timings = count("operator_timing"),
                       .profiles = count("operator_profile"),
                       .calibrations = count("calibration")};
    result.bytes_before = result.bytes_after = SizeOf(database);
    if (options.dry_run || result.nothing()) {
      return result;
    }
    Delete(*connection, selection);
    transaction.commit();
    if (options.shrink) {
      connection->exec("VACUUM");
      connection->exec("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    result.bytes_after = SizeOf(database);
    return result;
  });
}

}  // namespace halftone
