#include "knowledge_base/schema_check.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "knowledge_base/schema.h"

namespace halftone {
namespace {

struct Definition {
  std::string table;  // that it belongs to
  std::string sql;    // empty for what SQLite makes by itself

  friend bool operator==(const Definition&, const Definition&) = default;
};

// By name: "table trial", "index trial_by_identity".
using Definitions = std::map<std::string, Definition>;

Definitions DefinitionsIn(SQLite::Database& connection) {
  Definitions definitions;
  SQLite::Statement row(connection, "SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema");
  while (row.executeStep()) {
    definitions.insert_or_assign(
        row.getColumn(0).getString(),
        Definition{.table = row.getColumn(1).getString(), .sql = row.getColumn(2).getString()});
  }
  return definitions;
}

// True for SQLite's own tables, such as the statistics of ANALYZE.
bool IsOfSqlite(const std::string& name) {
  return name.find(" sqlite_") != std::string::npos;
}

Definitions MakeDefinitions() {
  SQLite::Database fresh(":memory:", SQLite::OPEN_READWRITE);
  fresh.exec(std::string(CreateTablesSql()));
  return DefinitionsIn(fresh);
}

// Made once a process: every bank that is opened is compared, and making tables takes longer than
// the rest of opening a small one. Made outside of the lock: between two statements of SQLite a
// caller may open another bank.
const Definitions& ExpectedDefinitions() {
  static std::mutex mutex;
  static std::optional<Definitions> known;
  {
    const std::lock_guard lock(mutex);
    if (known) {
      return *known;
    }
  }
  Definitions made = MakeDefinitions();
  const std::lock_guard lock(mutex);
  if (!known) {
    known = std::move(made);
  }
  return *known;
}

}  // namespace

SchemaDifferences CompareSchema(SQLite::Database& connection) {
  const Definitions& expected = ExpectedDefinitions();
  const Definitions actual = DefinitionsIn(connection);
  SchemaDifferences differences;
  for (const auto& [name, definition] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end()) {
      differences.damage.push_back(
          fmt::format("the {} of schema {} is missing", name, kSchemaVersion));
    } else if (found->second != definition) {
      differences.damage.push_back(
          fmt::format("the {} is not that of schema {}", name, kSchemaVersion));
    }
  }
  for (const auto& [name, definition] : actual) {
    if (!expected.contains(name) && !IsOfSqlite(name)) {
      differences.foreign.push_back(name);
    }
  }
  return differences;
}

}  // namespace halftone
