#include "knowledge_base/read_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <utility>

#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"

namespace halftone {
namespace {

constexpr std::string_view kRowsOfWorkload = "WHERE workload_id = ? ORDER BY recorded_at, id";

}  // namespace

// One query: what is read of the rows comes after it.
std::vector<std::int64_t> IdsOf(SQLite::Database& connection, std::string_view table,
                                std::string_view which, std::optional<std::int64_t> parameter) {
  SQLite::Statement row(connection, fmt::format("SELECT id FROM {} {}", table, which));
  if (parameter) {
    row.bind(1, *parameter);
  }
  std::vector<std::int64_t> ids;
  while (row.executeStep()) {
    ids.push_back(row.getColumn(0).getInt64());
  }
  return ids;
}

std::vector<std::int64_t> WorkloadIds(SQLite::Database& connection) {
  return IdsOf(connection, "workload", "ORDER BY recorded_at, key");
}

void ReadRecordsOf(SQLite::Database& connection, std::int64_t workload_id, const Hash128& key,
                   const RecordVisitor& visit) {
  TrialReader reader(connection);
  for (const std::int64_t trial : IdsOf(connection, "trial", kRowsOfWorkload, workload_id)) {
    StoredTrial stored = reader.Read(trial);
    visit(TrialRecord{key, std::move(stored.recorded_at), std::move(stored.trial)});
  }
  for (const std::int64_t front : IdsOf(connection, "front", kRowsOfWorkload, workload_id)) {
    visit(FrontRecord{SelectFront(connection, front, key)});
  }
  for (const std::int64_t found : IdsOf(connection, "sensitivity", kRowsOfWorkload, workload_id)) {
    SensitivityRow stored = SelectSensitivityRow(connection, found);
    visit(SensitivityRecord{key, std::move(stored.recorded_at), stored.decisions,
                            std::move(stored.sensitivity)});
  }
}

void ReadTimings(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                 const RecordVisitor& visit) {
  VisitTimings(connection, ids, [&](TimingRow row) {
    visit(TimingRecord{std::move(row.kernels), std::move(row.stored.recorded_at),
                       std::move(row.stored.timing)});
  });
}

void ReadProfiles(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                  const RecordVisitor& visit) {
  for (const std::int64_t id : ids) {
    ProfileRow row = SelectProfileRow(connection, id);
    visit(
        ProfileRecord{std::move(row.kernels), std::move(row.recorded_at), std::move(row.profile)});
  }
}

void ReadCalibrations(SQLite::Database& connection, const std::vector<std::int64_t>& ids,
                      const RecordVisitor& visit) {
  for (const std::int64_t id : ids) {
    visit(SelectCalibrationRow(connection, id));
  }
}

void ReadBank(const std::filesystem::path& database, const RecordVisitor& visit) {
  TranslatingSqliteErrors(database, [&] {
    const auto connection = OpenConnection(database, OpenMode::kReadOnly, {});
    const SQLite::Transaction snapshot(*connection);  // all of one moment; ends without a change
    for (const std::int64_t id : WorkloadIds(*connection)) {
      WorkloadRow row = SelectWorkload(*connection, id);
      const Hash128 key = row.key;
      visit(WorkloadRecord{std::move(row.recorded_at), std::move(row.workload)});
      ReadRecordsOf(*connection, id, key, visit);
    }
    ReadTimings(*connection, IdsOf(*connection, "operator_timing", kByTime), visit);
    ReadProfiles(*connection, IdsOf(*connection, "operator_profile", kByTime), visit);
    ReadCalibrations(*connection, IdsOf(*connection, "calibration", kByTime), visit);
  });
}

}  // namespace halftone
