#include "tests/knowledge_base/edit_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <vector>

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

void SetDay(const std::filesystem::path& database, int day) {
  for (const char* table : {"workload", "trial", "front", "sensitivity", "operator_timing"}) {
    EditBank(database, std::string("UPDATE ") + table + " SET recorded_at = printf('2026-01-" +
                           (day < 10 ? "0" : "") + std::to_string(day) +
                           "T00:%02d:%02d.000Z', id / 60, id % 60)");
  }
}

}  // namespace halftone::testing
