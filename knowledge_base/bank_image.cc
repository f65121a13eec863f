#include "knowledge_base/bank_image.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <string>
#include <thread>
#include <tuple>

#include "knowledge_base/sqlite_file.h"
#include "knowledge_base/write_ahead_log.h"
#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 20;  // to read both files while nobody writes to them
constexpr std::chrono::milliseconds kBetweenAttempts(10);

// Bytes 18 and 19 of a database: how it is written and read. SQLite takes a copy in memory only
// where they say "rollback journal", not "write-ahead log".
constexpr std::size_t kFormatAt = 18;
constexpr char kRollbackJournal = 1;

// Changes when somebody writes to the file.
auto MarkOf(const fs::path& path) {
  struct stat status = {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  return std::tuple(there, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec);
}

std::string ReadBoth(const BankFiles& files) {
  const fs::path log = files.path.string() + "-wal";
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto before = std::pair(MarkOf(files.path), MarkOf(log));
    std::string database = ReadDatabaseFile(files.path);
    const std::string frames = std::get<0>(before.second) ? ReadFile(log) : "";
    if (before == std::pair(MarkOf(files.path), MarkOf(log))) {
      return WithWriteAheadLog(std::move(database), frames);
    }
    std::this_thread::sleep_for(kBetweenAttempts);
  }
  throw Error(
      ErrorKind::kDatabase,
      "another process writes to it all the time, and there is no room beside it to read it "
      "meanwhile: wait until that has finished, or free space");
}

struct Image {
  std::string bytes;  // what `connection` reads
  SQLite::Database connection{":memory:", SQLite::OPEN_READWRITE};
};

}  // namespace

std::shared_ptr<SQLite::Database> OpenBankImage(const BankFiles& files) {
  auto image = std::make_shared<Image>();
  image->bytes = ReadBoth(files);
  CheckDatabaseHead(image->bytes);
  if (image->bytes.size() > kFormatAt + 1) {
    image->bytes[kFormatAt] = kRollbackJournal;
    image->bytes[kFormatAt + 1] = kRollbackJournal;
  }
  const auto size = static_cast<sqlite3_int64>(image->bytes.size());
  const int code = sqlite3_deserialize(image->connection.getHandle(), "main",
                                       reinterpret_cast<unsigned char*>(image->bytes.data()), size,
                                       size, SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) {
    throw SQLite::Exception(image->connection.getHandle(), code);
  }
  return {image, &image->connection};
}

}  // namespace halftone
