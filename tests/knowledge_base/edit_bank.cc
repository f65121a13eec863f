#include "tests/knowledge_base/edit_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <vector>

#include "knowledge_base/checksum.h"
#include "knowledge_base/profile_json.h"
#include "knowledge_base/schema.h"
#include "knowledge_base/sensitivity_json.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone::testing {
namespace {

// What the checksum of a row covers beside its time.
Hash128 ContentOf(SQLite::Database& connection, std::string_view table, std::int64_t id) {
  if (table == "workload") {
    return ChecksumOf(SelectWorkload(connection, id).workload);
  }
  if (table == "trial") {
    return ChecksumOf(SelectTrial(connection, id).trial);
  }
  if (table == "front") {
    const std::int64_t workload =
        connection.execAndGet("SELECT workload_id FROM front WHERE id = " + std::to_string(id))
            .getInt64();
    return ChecksumOf(SelectFront(connection, id, SelectWorkload(connection, workload).key));
  }
  if (table == "sensitivity") {
    const SensitivityRow row = SelectSensitivityRow(connection, id);
    return ChecksumOf(row.decisions, SensitivityToJson(row.sensitivity));
  }
  if (table == "operator_timing") {
    const TimingRow row = SelectTiming(connection, id);
    return ChecksumOf(row.kernels, row.stored.timing);
  }
  if (table == "operator_profile") {
    const ProfileRow row = SelectProfileRow(connection, id);
    return ChecksumOf(row.kernels, row.profile.op, row.profile.threads,
                      CallsToJson(row.profile.calls));
  }
  return ChecksumOf(SelectCalibrationRow(connection, id).calibration);
}

}  // namespace

void EditBank(const std::filesystem::path& database, const std::string& sql) {
  SQLite::Database connection(database.string(), SQLite::OPEN_READWRITE);
  std::vector<std::pair<std::string, std::string>> triggers;
  {
    SQLite::Statement row(connection, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
    while (row.executeStep()) {
      triggers.emplace_back(row.getColumn(0).getString(), row.getColumn(1).getString());
    }
  }
  SQLite::Transaction transaction(connection);
  for (const auto& [name, definition] : triggers) {
    connection.exec("DROP TRIGGER " + name);
  }
  connection.exec(sql);
  for (const auto& [name, definition] : triggers) {
    connection.exec(definition);
  }
  transaction.commit();
}

void RunSql(const std::filesystem::path& database, const std::string& sql) {
  SQLite::Database(database.string(), SQLite::OPEN_READWRITE).exec(sql);
}

void WhileInUse(const std::filesystem::path& database, const std::string& sql,
                const std::function<void()>& body) {
  SQLite::Database connection(database.string(), SQLite::OPEN_READWRITE);
  connection.exec(sql);
  body();
}

void MakeBankOfBefore(const std::filesystem::path& database, int version) {
  std::filesystem::create_directories(database.parent_path());
  SQLite::Database connection(database.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("CREATE TABLE meta(key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT");
  connection.exec("INSERT INTO meta VALUES ('schema_version', '" + std::to_string(version) + "')");
  connection.exec("PRAGMA application_id = " + std::to_string(kApplicationIdOfBefore));
  connection.exec("PRAGMA user_version = " + std::to_string(version));
}

void SetTimes(const std::filesystem::path& database, std::string_view table,
              const std::string& time) {
  const auto of_each = [&](auto&& visit) {
    SQLite::Database connection(database.string(), SQLite::OPEN_READONLY);
    SQLite::Statement row(connection, "SELECT id, recorded_at FROM " + std::string(table));
    while (row.executeStep()) {
      visit(connection, row.getColumn(0).getInt64(), row.getColumn(1).getString());
    }
  };
  std::map<std::int64_t, Hash128> contents;
  of_each([&](SQLite::Database& connection, std::int64_t id, const std::string&) {
    contents.emplace(id, ContentOf(connection, table, id));
  });
  EditBank(database, "UPDATE " + std::string(table) + " SET recorded_at = " + time);
  std::string updates;
  of_each([&](SQLite::Database&, std::int64_t id, const std::string& recorded_at) {
    updates += "UPDATE " + std::string(table) + " SET checksum = '" +
               RowChecksum(contents.at(id), recorded_at).ToHex() +
               "' WHERE id = " + std::to_string(id) + ";";
  });
  EditBank(database, updates);
}

void SetDay(const std::filesystem::path& database, int day) {
  for (const std::string_view table : kRecordNames) {
    SetTimes(database, table,
             std::string("printf('2026-01-") + (day < 10 ? "0" : "") + std::to_string(day) +
                 "T00:%02d:%02d.000Z', id / 60, id % 60)");
  }
}

}  // namespace halftone::testing
