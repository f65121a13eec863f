#include "knowledge_base/bank_files.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "knowledge_base/sqlite_error.h"
#include "src/base/error.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Empty for a regular file.
std::string_view OddKindOf(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "";
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a named pipe";
    case S_IFSOCK:
      return "a socket";
    case S_IFLNK:
      return "a link";
    default:
      return "a device";
  }
}

// One of the files that SQLite keeps beside the database; it follows no link to them.
struct FileBeside {
  const char* suffix;
  const char* purpose;
};

constexpr FileBeside kLog = {"-wal", "its write-ahead log"};
constexpr FileBeside kJournal = {"-journal", "its rollback journal"};
constexpr FileBeside kIndexOfLog = {"-shm", "the index of its write-ahead log"};

// True: it is there and has content.
bool HasContent(const fs::path& database, const fs::path& path, const FileBeside& beside) {
  const std::string name = path.string() + beside.suffix;
  struct stat status = {};
  if (::lstat(name.c_str(), &status) != 0) {
    return false;  // SQLite makes it, or says why it cannot
  }
  if (const std::string_view kind = OddKindOf(status.st_mode); !kind.empty()) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("the knowledge base '{}' cannot be opened: '{}', where SQLite keeps "
                            "{}, is {}: move it away",
                            database.string(), name, beside.purpose, kind));
  }
  return status.st_size > 0;
}

}  // namespace

BankFiles LookAtBankFiles(const fs::path& database) {
  BankFiles files{.path = database};
  struct stat status = {};
  if (::stat(database.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) {
      throw SqliteError(database, SQLITE_CANTOPEN, std::strerror(errno));
    }
    return files;  // a file that SQLite may make has nothing beside it that counts
  }
  if (const std::string_view kind = OddKindOf(status.st_mode); !kind.empty()) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("'{}' is {}, not a knowledge base: check the folder of the bank, or "
                            "move it away to start a new one",
                            database.string(), kind));
  }
  std::error_code error;
  const fs::path resolved = fs::canonical(database, error);
  files.path = error ? database : resolved;
  files.exists = true;
  files.log = HasContent(database, files.path, kLog);
  files.journal = HasContent(database, files.path, kJournal);
  HasContent(database, files.path, kIndexOfLog);
  return files;
}

}  // namespace halftone
