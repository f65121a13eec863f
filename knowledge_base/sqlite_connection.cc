#include "knowledge_base/sqlite_connection.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <string>
#include <thread>

#include "knowledge_base/bank_files.h"
#include "knowledge_base/bank_image.h"
#include "knowledge_base/schema.h"
#include "knowledge_base/schema_check.h"
#include "knowledge_base/sqlite_error.h"
#include "knowledge_base/sqlite_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/limits.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Up to this size a bank is checked whenever it is opened, which takes about 10 ms: an answer from
// it should not take more than 100.
constexpr std::uintmax_t kCheapToCheckBytes = 16U << 20U;

constexpr std::size_t kHeadBytes = 100;  // of an SQLite database

std::shared_ptr<SQLite::Database> OpenUri(const fs::path& path, std::string_view query,
                                          int busy_timeout_ms) {
  return std::make_shared<SQLite::Database>(
      SqliteUri(path, query), SQLite::OPEN_READONLY | SQLite::OPEN_URI, busy_timeout_ms);
}

// True for errors that mean that no file can be made or written beside the bank: no room, no
// permission.
bool HasNoRoom(const SQLite::Exception& error) {
  const int code = error.getErrorCode() & 0xff;
  return code == SQLITE_CANTOPEN || code == SQLITE_FULL || code == SQLITE_IOERR ||
         code == SQLITE_READONLY;
}

[[noreturn]] void ThrowMissing(const fs::path& database) {
  std::error_code error;
  const bool link = fs::is_symlink(database, error);
  throw Error(
      ErrorKind::kDatabase,
      fmt::format(
          "there is no knowledge base '{}'{}: check --op_bank_path and "
          "--soc_version, or fill it with `halftone tune`",
          database.string(),
          link ? fmt::format(" (a link to '{}')", fs::read_symlink(database).string()) : ""));
}

// SQLite writes beside a bank in WAL mode even to read it: the index of the log, which it shares
// with writers. Where it cannot, no writer of this user is there, and none can begin: the files are
// read as they are.
std::shared_ptr<SQLite::Database> OpenReadOnly(const fs::path& database, const BankFiles& files,
                                               int busy_timeout_ms) {
  try {
    auto connection = OpenUri(files.path, "", busy_timeout_ms);
    connection->execAndGet("SELECT count(*) FROM sqlite_schema");
    return connection;
  } catch (const SQLite::Exception& error) {
    // A rollback journal can only be undone in the file.
    if (!HasNoRoom(error) || files.journal) {
      throw;
    }
  }
  // Looked at again: SQLite leaves an empty log behind, a writer one with content.
  const BankFiles now = LookAtBankFiles(database);
  return now.log ? OpenBankImage(now) : OpenUri(now.path, "?immutable=1", busy_timeout_ms);
}

std::shared_ptr<SQLite::Database> OpenImmutable(const fs::path& database, const BankFiles& files) {
  if (files.log || files.journal) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("the knowledge base '{}' is in use, or was not closed properly ('{}{}' "
                    "has content): wait until that has finished, or name a bank into which it was "
                    "merged (`halftone bank merge`)",
                    database.string(), files.path.string(), files.log ? "-wal" : "-journal"));
  }
  return OpenUri(files.path, "?immutable=1", 0);
}

std::shared_ptr<SQLite::Database> OpenReadWrite(const fs::path& database, const BankFiles& files,
                                                int busy_timeout_ms) {
  try {
    CreateFolder(database.has_parent_path() ? database.parent_path() : ".");
  } catch (const Error& error) {
    throw SqliteError(database, SQLITE_CANTOPEN, error.what());
  }
  return std::make_shared<SQLite::Database>(
      files.path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_timeout_ms);
}

int IntegerOf(SQLite::Database& connection, const char* query) {
  return connection.execAndGet(query).getInt();
}

// Value of meta.schema_version; empty: none.
std::string VersionInMeta(SQLite::Database& connection) {
  if (!connection.tableExists("meta")) {
    return "";
  }
  SQLite::Statement row(connection, "SELECT value FROM meta WHERE key = 'schema_version'");
  return row.executeStep() ? row.getColumn(0).getString() : "";
}

struct Versions {
  int application = 0;
  int schema = 0;
  bool has_tables = false;
  std::string in_meta;

  [[nodiscard]] bool empty() const { return application == 0 && schema == 0 && !has_tables; }
};

Versions ReadVersions(SQLite::Database& connection) {
  Versions versions{.application = IntegerOf(connection, "PRAGMA application_id"),
                    .schema = IntegerOf(connection, "PRAGMA user_version"),
                    .has_tables = IntegerOf(connection, "SELECT count(*) FROM sqlite_schema") != 0};
  if (versions.application == kApplicationId) {
    versions.in_meta = VersionInMeta(connection);
  }
  return versions;
}

// Error unless the tables are of this schema, as far as the file says.
void CheckOrigin(const Versions& versions, const fs::path& database) {
  if (versions.application == kApplicationIdOfBefore) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("the knowledge base '{}' is of a layout of before the first release (schema {} "
                    "of 'hftn', expected {} of 'hfbk'): export it with the halftone that wrote it "
                    "(`halftone bank export`) and add that here with `halftone bank import`, or "
                    "use another folder for the bank",
                    database.string(), versions.schema, kSchemaVersion));
  }
  if (versions.application != kApplicationId) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("'{}' is an SQLite database of another program, not a knowledge base: "
                            "check the folder of the bank",
                            database.string()));
  }
  const bool newer = versions.schema > kSchemaVersion;
  const bool unknown = newer && versions.in_meta.empty();  // it may keep the version elsewhere
  if (versions.in_meta != std::to_string(versions.schema) && !unknown) {
    throw DamagedBank(
        database,
        fmt::format("PRAGMA user_version is {} and meta.schema_version {}", versions.schema,
                    versions.in_meta.empty() ? "nothing" : Printable(versions.in_meta)));
  }
  if (newer) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("the knowledge base '{}' was written by a newer halftone (schema {}, "
                    "this one knows {}): upgrade halftone, or use another folder for the bank",
                    database.string(), versions.schema, kSchemaVersion));
  }
  if (versions.schema != kSchemaVersion) {
    throw DamagedBank(
        database, fmt::format("its schema is {}, which no halftone has written", versions.schema));
  }
}

// True for an empty file, which is an Error for reading; Error for tables of anything else than
// this schema. Where the caller checks the tables itself, those of a bank are left to it.
bool IsEmptyBank(SQLite::Database& connection, const fs::path& database, OpenMode mode,
                 bool check_tables) {
  // One transaction: another process may be making the tables between the queries.
  SQLite::Transaction snapshot(connection);
  const Versions versions = ReadVersions(connection);
  if (!versions.empty() && (check_tables || versions.application != kApplicationId ||
                            versions.schema != kSchemaVersion)) {
    CheckOrigin(versions, database);
    if (const auto differences = CompareSchema(connection); !differences.damage.empty()) {
      throw DamagedBank(database, differences.damage.front());
    }
  }
  snapshot.commit();
  if (mode == OpenMode::kReadOnly && versions.empty()) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("the knowledge base '{}' is empty: fill it with `halftone tune`",
                            database.string()));
  }
  return versions.empty();
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

// All in one transaction together with the version. The version is read again inside: another
// process may have been faster.
void CreateTables(SQLite::Database& connection) {
  SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
  if (IntegerOf(connection, "PRAGMA user_version") != 0) {
    return;
  }
  connection.exec(std::string(CreateTablesSql()));
  connection.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  connection.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  connection.exec(
      fmt::format("INSERT INTO meta(key, value) VALUES ('schema_version', '{}')", kSchemaVersion));
  transaction.commit();
}

// Whether closing the connection leaves the write-ahead log as it is.
void KeepLogWhenClosing(SQLite::Database& connection, bool keep) {
  sqlite3_db_config(connection.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int{keep}, nullptr);
}

}  // namespace

std::shared_ptr<SQLite::Database> OpenConnection(const fs::path& database, OpenMode mode,
                                                 const SqliteOptions& options) {
  return TranslatingSqliteErrors(database, [&] {
    const BankFiles files = LookAtBankFiles(database);
    const bool closed_badly = files.log;  // or in use by another process
    const auto timeout_ms = static_cast<int>(options.busy_timeout_s * 1000);
    if (mode == OpenMode::kReadOnly && !files.exists) {
      ThrowMissing(database);
    }
    auto connection = mode == OpenMode::kReadWrite ? OpenReadWrite(database, files, timeout_ms)
                      : options.immutable          ? OpenImmutable(database, files)
                                                   : OpenReadOnly(database, files, timeout_ms);
    sqlite3_limit(connection->getHandle(), SQLITE_LIMIT_LENGTH, limits::kMostBankValueBytes);
    KeepLogWhenClosing(*connection, closed_badly);  // a file that is refused stays as it is
    CheckDatabaseHead(ReadFileOf(*connection, kHeadBytes));
    if (mode == OpenMode::kReadOnly) {
      connection->exec("PRAGMA temp_store = MEMORY");  // reading needs no room anywhere
    }
    const bool empty = IsEmptyBank(*connection, database, mode, options.check_integrity);
    std::error_code error;
    if (options.check_integrity &&
        (closed_badly || fs::file_size(database, error) <= kCheapToCheckBytes)) {
      CheckIntegrity(*connection, database);
    }
    KeepLogWhenClosing(*connection, false);
    connection->exec("PRAGMA foreign_keys = ON");
    if (mode == OpenMode::kReadWrite) {
      SwitchToWriteAheadLog(*connection, options.busy_timeout_s);
      connection->exec("PRAGMA synchronous = FULL");
      if (empty) {
        CreateTables(*connection);
      }
    }
    return connection;
  });
}

}  // namespace halftone
