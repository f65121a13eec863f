// Against SQLite's own recovery: both files are copied while they are in use, damaged, and read in
// both ways.
#include "knowledge_base/write_ahead_log.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "tests/knowledge_base/bank_folder.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::BankFolder;
using ::testing::HasSubstr;

struct Files {
  std::string database;
  std::string log;
};

class WriteAheadLogTest : public ::testing::TestWithParam<int> {
 protected:
  WriteAheadLogTest() : connection_(path_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
    Execute("PRAGMA page_size = " + std::to_string(GetParam()));
    Execute("PRAGMA auto_vacuum = INCREMENTAL");
    Execute("PRAGMA journal_mode = WAL");
    Execute("PRAGMA wal_autocheckpoint = 0");
    Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, content BLOB)");
  }

  void Execute(const std::string& sql) { connection_.exec(sql); }

  void Insert(int rows, int bytes) {
    Execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
            std::to_string(rows) + ") INSERT INTO t(content) SELECT randomblob(" +
            std::to_string(bytes) + ") FROM n");
  }

  [[nodiscard]] Files Copy() const {
    return {.database = ReadFile(path_), .log = ReadFile(path_.string() + "-wal")};
  }

  static std::string Dump(SQLite::Database& connection) {
    std::string text;
    SQLite::Statement check(connection, "PRAGMA integrity_check");
    while (check.executeStep()) {
      text += check.getColumn(0).getString() + "\n";
    }
    text += connection.execAndGet("PRAGMA page_count").getString() + " pages\n";
    SQLite::Statement row(connection, "SELECT id, hex(content) FROM t");
    while (row.executeStep()) {
      text += row.getColumn(0).getString() + " " + row.getColumn(1).getString() + "\n";
    }
    return text;
  }

  // What SQLite reads; a text of its error where it refuses.
  [[nodiscard]] std::string BySqlite(const Files& files) const {
    const fs::path copy = folder_.path() / "copy.db";
    fs::remove(copy.string() + "-shm");
    WriteFileAtomically(copy, files.database);
    WriteFileAtomically(copy.string() + "-wal", files.log);
    try {
      SQLite::Database connection(copy.string(), SQLite::OPEN_READWRITE);
      return Dump(connection);
    } catch (const SQLite::Exception&) {
      return "refused";
    }
  }

  [[nodiscard]] std::string ByUs(const Files& files) const {
    const fs::path copy = folder_.path() / "ours.db";
    try {
      std::string bytes = WithWriteAheadLog(files.database, files.log);
      if (bytes.size() > 19) {
        bytes[18] = bytes[19] = 1;  // no log any more
      }
      WriteFileAtomically(copy, bytes);
      SQLite::Database connection(copy.string(), SQLite::OPEN_READONLY);
      return Dump(connection);
    } catch (const SQLite::Exception&) {
      return "refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDatabase);
      return "refused";
    }
  }

  BankFolder folder_;
  fs::path path_ = folder_.path() / "used.db";
  SQLite::Database connection_;
};

TEST_P(WriteAheadLogTest, EveryStateReadsAsSqliteReadsIt) {
  EXPECT_EQ(ByUs(Copy()), BySqlite(Copy())) << "the table is in the log only";
  Insert(20, 300);
  EXPECT_EQ(ByUs(Copy()), BySqlite(Copy()));
  Execute("DELETE FROM t WHERE id % 2 = 0");
  Execute("PRAGMA incremental_vacuum");
  EXPECT_EQ(ByUs(Copy()), BySqlite(Copy())) << "the database became shorter";
  Execute("BEGIN");
  Insert(20, 300);
  const std::string before_commit = ByUs(Copy());
  EXPECT_EQ(before_commit, BySqlite(Copy()));
  Execute("COMMIT");
  EXPECT_NE(ByUs(Copy()), before_commit);
  EXPECT_EQ(ByUs(Copy()), BySqlite(Copy()));
  Execute("PRAGMA wal_checkpoint(PASSIVE)");
  EXPECT_EQ(ByUs(Copy()), BySqlite(Copy())) << "in both files";
  Insert(1, 10);  // begins the log anew: older frames lie behind
  EXPECT_EQ(ByUs(Copy()), BySqlite(Copy()));
  Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_EQ(ByUs(Copy()), BySqlite(Copy())) << "no log";
}

TEST_P(WriteAheadLogTest, ALogThatIsCutOrHasAFlippedBitReadsAsSqliteReadsIt) {
  Insert(10, 300);
  Execute("UPDATE t SET content = randomblob(500) WHERE id = 3");
  Execute("DELETE FROM t WHERE id > 7");
  const Files files = Copy();
  Rng rng(11);
  const auto any = [&](std::size_t below) {
    return static_cast<std::size_t>(rng.Uniform(0, static_cast<double>(below)));
  };
  int different = 0;
  const std::string whole = ByUs(files);
  for (int i = 0; i < 60; ++i) {
    Files damaged = files;
    const bool cut = i % 2 == 0;
    const std::size_t at = i < 20 ? any(64) : any(files.log.size());  // heads, then anywhere
    if (cut) {
      damaged.log.resize(at);
    } else {
      damaged.log[at] = static_cast<char>(damaged.log[at] ^ (1 << any(8)));
    }
    const std::string ours = ByUs(damaged);
    EXPECT_EQ(ours, BySqlite(damaged)) << (cut ? "cut to " : "flipped at ") << at;
    different += ours != whole ? 1 : 0;
  }
  EXPECT_GT(different, 30) << "nothing was damaged";
}

INSTANTIATE_TEST_SUITE_P(PageSizes, WriteAheadLogTest, ::testing::Values(512, 4096, 65536),
                         ::testing::PrintToStringParamName());

TEST(WriteAheadLogErrorTest, ALogOfAnotherFile) {
  const BankFolder folder;
  const auto files_of = [&](const std::string& name, int page_size) {
    const fs::path path = folder.path() / name;
    SQLite::Database connection(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    connection.exec("PRAGMA page_size = " + std::to_string(page_size));
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec("CREATE TABLE t(x)");
    return Files{.database = ReadFile(path), .log = ReadFile(path.string() + "-wal")};
  };
  const Files small = files_of("small.db", 512);
  const Files large = files_of("large.db", 4096);
  try {
    WithWriteAheadLog(large.database, small.log);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("it has pages of 4096 bytes and its write-ahead log pages of 512: the "
                          "log is of another file"));
  }
  EXPECT_EQ(WithWriteAheadLog(large.database, "no log at all, but a text of some length"),
            large.database);
}

}  // namespace
}  // namespace halftone
