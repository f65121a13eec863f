#include "knowledge_base/sqlite_error.h"

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <string>

namespace halftone {
namespace {

struct Explanation {
  int code;  // primary result code
  std::string_view found;
  std::string_view what_to_do;
};

constexpr std::string_view kRestore =
    "restore it from a copy, or save what is readable with `sqlite3 FILE .recover`, and start a "
    "new "
    "bank";

constexpr Explanation kExplanations[] = {
    {SQLITE_NOTADB, "is not a knowledge base (not an SQLite file)",
     "check the folder of the bank, or move the file away to start a new one"},
    {SQLITE_CORRUPT, "is damaged or cut short", kRestore},
    {SQLITE_TOOBIG, "has a value that is larger than any that is written", kRestore},
    {SQLITE_FULL, "cannot grow: the disk is full",
     "free space and run the same command again; everything stored so far is kept"},
    {SQLITE_BUSY, "is locked by another process", "wait until that has finished, or end it"},
    {SQLITE_LOCKED, "is locked by another process", "wait until that has finished, or end it"},
    {SQLITE_READONLY, "cannot be written",
     "check the permissions of the file and its folder, or use another folder for the bank"},
    {SQLITE_PERM, "cannot be opened",
     "check the permissions of the file and its folder, or use another folder for the bank"},
    {SQLITE_CANTOPEN, "cannot be opened",
     "check that the folder exists and is readable and writable, or use another folder for the "
     "bank"},
    {SQLITE_NOMEM, "needs more memory than the system gives",
     "allow more (ulimit -v, the container's limit); everything stored so far is kept"},
    {SQLITE_IOERR, "cannot be read or written",
     "check the disk (space, quota, file size limit, hardware); everything stored so far is kept"},
};

}  // namespace

Error SqliteError(const std::filesystem::path& database, int code, std::string_view message) {
  for (const Explanation& row : kExplanations) {
    if (row.code == (code & 0xff)) {
      return {ErrorKind::kDatabase,
              fmt::format("the knowledge base '{}' {} ({}): {}", database.string(), row.found,
                          message, row.what_to_do)};
    }
  }
  return {ErrorKind::kDatabase, fmt::format("the knowledge base '{}' failed: {} (SQLite code {})",
                                            database.string(), message, code)};
}

Error DamagedBank(const std::filesystem::path& database, std::string_view finding) {
  return SqliteError(database, SQLITE_CORRUPT, finding);
}

void RethrowTranslated(const std::filesystem::path& database) {
  try {
    throw;
  } catch (const SQLite::Exception& error) {
    const int code =
        error.getExtendedErrorCode() > 0 ? error.getExtendedErrorCode() : error.getErrorCode();
    throw SqliteError(database, code, error.what());
  } catch (Error& error) {
    const std::string name = "'" + database.string() + "'";
    if (error.kind() == ErrorKind::kDatabase &&
        std::string_view(error.what()).find(name) == std::string_view::npos) {
      error.AddContext("the knowledge base " + name);
    }
    throw;
  }
}

}  // namespace halftone
