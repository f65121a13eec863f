#include "knowledge_base/sqlite_connection.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "knowledge_base/schema.h"
#include "knowledge_base/sqlite_error.h"
#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Up to this size a bank is checked whenever it is opened, which takes about 10 ms: an answer from
// it should not take more than 100.
constexpr std::uintmax_t kCheapToCheckBytes = 16U << 20U;

bool HasWriteAheadLog(const fs::path& database) {
  std::error_code error;
  const auto size = fs::file_size(database.string() + "-wal", error);
  return !error && size > 0;
}

bool CanWrite(const fs::path& folder) {
  return ::faccessat(AT_FDCWD, folder.empty() ? "." : folder.c_str(), W_OK, AT_EACCESS) == 0;
}

// "file:" with everything escaped that has a meaning in a URI.
std::string UriOf(const fs::path& database, std::string_view query) {
  std::string uri = "file:";
  for (const char c : database.string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + std::string(query);
}

// SQLite needs to write beside a bank in WAL mode even to read it. Where it cannot, and there is no
// log to replay, the file is read as it is.
std::shared_ptr<SQLite::Database> OpenReadOnly(const fs::path& database, int busy_timeout_ms) {
  std::error_code error;
  if (!fs::exists(database, error)) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("there is no knowledge base '{}': check --op_bank_path and "
                            "--soc_version, or fill it with `halftone tune`",
                            database.string()));
  }
  const bool as_it_is = !CanWrite(database.parent_path()) && !HasWriteAheadLog(database);
  return std::make_shared<SQLite::Database>(UriOf(database, as_it_is ? "?immutable=1" : ""),
                                            SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                                            busy_timeout_ms);
}

std::shared_ptr<SQLite::Database> OpenReadWrite(const fs::path& database, int busy_timeout_ms) {
  try {
    CreateFolder(database.has_parent_path() ? database.parent_path() : ".");
  } catch (const Error& error) {
    throw SqliteError(database, SQLITE_CANTOPEN, error.what());
  }
  return std::make_shared<SQLite::Database>(
      database.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_timeout_ms);
}

int IntegerOf(SQLite::Database& connection, const char* query) {
  return connection.execAndGet(query).getInt();
}

// The schema version; 0 for an empty file. Error for files of other programs and of newer versions.
int CheckedVersion(SQLite::Database& connection, const fs::path& database, OpenMode mode) {
  // One transaction: another process may be creating the bank between the three queries.
  SQLite::Transaction snapshot(connection);
  const int application = IntegerOf(connection, "PRAGMA application_id");
  const int version = IntegerOf(connection, "PRAGMA user_version");
  const int tables = IntegerOf(connection, "SELECT count(*) FROM sqlite_schema");
  snapshot.commit();
  const bool empty = application == 0 && version == 0 && tables == 0;
  if (application != kApplicationId && !empty) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("'{}' is an SQLite database of another program, not a knowledge base: "
                            "check the folder of the bank",
                            database.string()));
  }
  if (version > SchemaVersion()) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("the knowledge base '{}' was written by a newer halftone (schema {}, "
                    "this one knows {}): upgrade halftone, or use another folder for the bank",
                    database.string(), version, SchemaVersion()));
  }
  if (mode == OpenMode::kReadOnly && version < SchemaVersion()) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("the knowledge base '{}' {}: run `halftone tune` with it once, which "
                            "upgrades it",
                            database.string(),
                            empty ? "is empty" : fmt::format("has the older schema {}", version)));
  }
  return version;
}

void CheckIntegrity(SQLite::Database& connection, const fs::path& database) {
  // Not quick_check: an index that does not match its table hides rows.
  SQLite::Statement check(connection, "PRAGMA integrity_check(1)");
  if (check.executeStep() && check.getColumn(0).getString() != "ok") {
    throw DamagedBank(database, check.getColumn(0).getString());
  }
  SQLite::Statement foreign(connection, "PRAGMA foreign_key_check");
  if (foreign.executeStep()) {
    throw DamagedBank(
        database, fmt::format("a row of the table {} belongs to a {} that is not there",
                              foreign.getColumn(0).getString(), foreign.getColumn(2).getString()));
  }
}

// Switching to WAL needs the file for a moment, and SQLite does not wait for it by itself.
void SwitchToWriteAheadLog(SQLite::Database& connection, double timeout_s) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  while (true) {
    try {
      connection.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& error) {
      const bool busy = (error.getErrorCode() & 0xff) == SQLITE_BUSY;
      if (!busy || std::chrono::steady_clock::now() >= deadline) {
        throw;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Each migration in a transaction of its own, together with the version it leads to. The version is
// read again inside: another process may have been faster.
void Migrate(SQLite::Database& connection) {
  for (const Migration& migration : AllMigrations()) {
    SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
    if (IntegerOf(connection, "PRAGMA user_version") >= migration.version) {
      continue;
    }
    connection.exec(std::string(migration.sql));
    connection.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
    connection.exec(fmt::format("PRAGMA user_version = {}", migration.version));
    connection.exec(
        fmt::format("INSERT OR REPLACE INTO meta(key, value) VALUES ('schema_version', '{}')",
                    migration.version));
    transaction.commit();
  }
}

}  // namespace

std::shared_ptr<SQLite::Database> OpenConnection(const fs::path& database, OpenMode mode,
                                                 const SqliteOptions& options) {
  return TranslatingSqliteErrors(database, [&] {
    const bool closed_badly = HasWriteAheadLog(database);  // or in use by another process
    const auto timeout_ms = static_cast<int>(options.busy_timeout_s * 1000);
    auto connection = mode == OpenMode::kReadOnly ? OpenReadOnly(database, timeout_ms)
                                                  : OpenReadWrite(database, timeout_ms);
    const int version = CheckedVersion(*connection, database, mode);
    std::error_code error;
    if (options.check_integrity &&
        (closed_badly || fs::file_size(database, error) <= kCheapToCheckBytes)) {
      CheckIntegrity(*connection, database);
    }
    connection->exec("PRAGMA foreign_keys = ON");
    if (mode == OpenMode::kReadWrite) {
      SwitchToWriteAheadLog(*connection, options.busy_timeout_s);
      connection->exec("PRAGMA synchronous = FULL");
      if (version < SchemaVersion()) {
        Migrate(*connection);
      }
    }
    return connection;
  });
}

}  // namespace halftone
