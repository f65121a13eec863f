#include "tests/knowledge_base/edit_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <vector>

#include "knowledge_base/checksum.h"
#include "knowledge_base/profile_json.h"
#include "knowledge_base/sensitivity_json.h"
#include "knowledge_base/sqlite_rows.h"

namespace halftone::testing {

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

void Unseal(const std::filesystem::path& database) {
  std::string updates = "UPDATE workload SET checksum = '';";
  {
    SQLite::Database connection(database.string(), SQLite::OPEN_READONLY);
    const auto update = [&](const char* table, auto&& checksum_of) {
      SQLite::Statement row(connection, std::string("SELECT id FROM ") + table);
      while (row.executeStep()) {
        const std::int64_t id = row.getColumn(0).getInt64();
        updates += std::string("UPDATE ") + table + " SET checksum = '" + checksum_of(id).ToHex() +
                   "' WHERE id = " + std::to_string(id) + ";";
      }
    };
    const auto key_of_front = [&](std::int64_t id) {
      return SelectWorkload(
                 connection,
                 connection
                     .execAndGet("SELECT workload_id FROM front WHERE id = " + std::to_string(id))
                     .getInt64())
          .key;
    };
    update("trial", [&](std::int64_t id) { return ChecksumOf(SelectTrial(connection, id).trial); });
    update("front", [&](std::int64_t id) {
      return ChecksumOf(SelectFront(connection, id, key_of_front(id)));
    });
    update("sensitivity", [&](std::int64_t id) {
      const SensitivityRow row = SelectSensitivityRow(connection, id);
      return ChecksumOf(row.decisions, SensitivityToJson(row.sensitivity));
    });
    update("operator_timing", [&](std::int64_t id) {
      const TimingRow row = SelectTiming(connection, id);
      return ChecksumOf(row.kernels, row.stored.timing);
    });
    update("operator_profile", [&](std::int64_t id) {
      const ProfileRow row = SelectProfileRow(connection, id);
      return ChecksumOf(row.kernels, row.profile.op, row.profile.threads,
                        CallsToJson(row.profile.calls));
    });
    update("calibration", [&](std::int64_t id) {
      return ChecksumOf(SelectCalibrationRow(connection, id).calibration);
    });
  }
  EditBank(database, updates);
}

void SetDay(const std::filesystem::path& database, int day) {
  Unseal(database);
  for (const std::string_view table : kRecordNames) {
    EditBank(database, "UPDATE " + std::string(table) + " SET recorded_at = printf('2026-01-" +
                           (day < 10 ? "0" : "") + std::to_string(day) +
                           "T00:%02d:%02d.000Z', id / 60, id % 60)");
  }
}

}  // namespace halftone::testing
