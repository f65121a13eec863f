#include "knowledge_base/sqlite_file.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>

#include "src/base/error.h"

namespace halftone {
namespace {

// Bytes of a database that say how it is written and read: 1 with a rollback journal, 2 with a
// write-ahead log. https://www.sqlite.org/fileformat2.html#file_format_version_numbers
constexpr std::size_t kWriteFormatAt = 18;
constexpr std::size_t kReadFormatAt = 19;

sqlite3_file& FileOf(SQLite::Database& connection) {
  sqlite3_file* file = nullptr;
  const int code = sqlite3_file_control(connection.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER,
                                        static_cast<void*>(&file));
  if (code != SQLITE_OK || file == nullptr || file->pMethods == nullptr) {
    throw SQLite::Exception("the file is not open", SQLITE_CANTOPEN);
  }
  return *file;
}

}  // namespace

std::string SqliteUri(const std::filesystem::path& database, std::string_view query) {
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

std::string ReadFileOf(SQLite::Database& connection, std::size_t count) {
  sqlite3_file& file = FileOf(connection);
  sqlite3_int64 size = 0;
  if (const int code = file.pMethods->xFileSize(&file, &size); code != SQLITE_OK) {
    throw SQLite::Exception("the file has no size", code);
  }
  std::string bytes(std::min(count, static_cast<std::size_t>(size)), '\0');
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;
  for (std::size_t at = 0; at < bytes.size(); at += kMostAtOnce) {
    const auto part = static_cast<int>(std::min(kMostAtOnce, bytes.size() - at));
    const int code =
        file.pMethods->xRead(&file, bytes.data() + at, part, static_cast<sqlite3_int64>(at));
    // A short read fills up with zeros: the file became shorter meanwhile.
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
      throw SQLite::Exception("the file cannot be read", code);
    }
  }
  return bytes;
}

void CheckDatabaseHead(std::string_view bytes) {
  if (bytes.size() <= kReadFormatAt || !bytes.starts_with("SQLite format 3")) {
    return;  // empty, or not of SQLite, which says so
  }
  const int written = static_cast<unsigned char>(bytes[kWriteFormatAt]);
  const int read = static_cast<unsigned char>(bytes[kReadFormatAt]);
  if (written != read || written < 1 || written > 2) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("the file says that it is written in format {} and read in format {}, "
                    "expected 1 or 2 for both: the file was damaged, restore it from a copy",
                    written, read));
  }
}

std::string ReadDatabaseFile(const std::filesystem::path& database) {
  SQLite::Database connection(SqliteUri(database, "?immutable=1"),
                              SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  return ReadFileOf(connection, std::numeric_limits<std::size_t>::max());
}

}  // namespace halftone
