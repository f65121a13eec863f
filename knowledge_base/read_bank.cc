#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone {
namespace {

constexpr std::string_view kRowsOfWorkload = "WHERE workload_id = ? ORDER BY recorded_at, id";

// Ids of the rows of a table, in one query: what is read of them comes after it.
std::vector<std::int64_t> IdsOf(SQLite::Database& connection, std::string_view table,
                                std::string_view order,
                                std::optional<std::int64_t> parameter = {}) {
  SQLite::Statement row(connection, fmt::format("SELECT id FROM {} {}", table, order));
  if (parameter) {
    row.bind(1, *parameter);
  }
  std::vector<std::int64_t> ids;
  while (row.executeStep()) {
    ids.push_back(row.getColumn(0).getInt64());
  }
  return ids;
}

void ReadWorkload(SQLite::Database& connection, std::int64_t id, const RecordVisitor& visit) {
  WorkloadRow row = SelectWorkload(connection, id);
  visit(WorkloadRecord{std::move(row.recorded_at), std::move(row.workload)});
  for (const std::int64_t trial : IdsOf(connection, "trial", kRowsOfWorkload, id)) {
    StoredTrial stored = SelectTrial(connection, trial);
    visit(TrialRecord{row.key, std::move(stored.recorded_at), std::move(stored.trial)});
  }
  for (const std::int64_t front : IdsOf(connection, "front", kRowsOfWorkload, id)) {
    visit(FrontRecord{SelectFront(connection, front, row.key)});
  }
  for (const std::int64_t found : IdsOf(connection, "sensitivity", kRowsOfWorkload, id)) {
    SensitivityRow stored = SelectSensitivityRow(connection, found);
    visit(SensitivityRecord{row.key, std::move(stored.recorded_at), stored.decisions,
                            std::move(stored.sensitivity)});
  }
}

}  // namespace

void ReadBank(const std::filesystem::path& database, const RecordVisitor& visit) {
  TranslatingSqliteErrors(database, [&] {
    const auto connection = OpenConnection(database, OpenMode::kReadOnly, {});
    const SQLite::Transaction snapshot(*connection);  // all of one moment; ends without a change
    for (const std::int64_t id : IdsOf(*connection, "workload", "ORDER BY recorded_at, key")) {
      ReadWorkload(*connection, id, visit);
    }
    for (const std::int64_t id :
         IdsOf(*connection, "operator_timing", "ORDER BY recorded_at, id")) {
      TimingRow row = SelectTiming(*connection, id);
      visit(TimingRecord{std::move(row.kernels), std::move(row.stored.recorded_at),
                         std::move(row.stored.timing)});
    }
    for (const std::int64_t id :
         IdsOf(*connection, "operator_profile", "ORDER BY recorded_at, id")) {
      ProfileRow row = SelectProfileRow(*connection, id);
      visit(ProfileRecord{std::move(row.kernels), std::move(row.recorded_at),
                          std::move(row.profile)});
    }
  });
}

}  // namespace halftone
