// What only a file can suffer: damage, strangers, newer versions, locks, permissions, full disks.
#include "knowledge_base/sqlite_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <fstream>

#include "knowledge_base/schema.h"
#include "knowledge_base/sqlite_error.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/edit_bank.h"
#include "tests/knowledge_base/ordinary_user.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::AsOrdinaryUser;
using testing::BankFolder;
using ::testing::HasSubstr;
using testing::MeasuredTrial;
using testing::SampleFront;
using testing::SampleWorkload;

template <typename Body>
std::string DatabaseErrorOf(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDatabase) << error.what();
    return error.what();
  }
  return "no error";
}

class SqliteStoreTest : public ::testing::Test {
 protected:
  // A bank with `trials` trials, closed.
  Hash128 Fill(std::uint64_t trials) {
    const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
    const Hash128 key = store->AddWorkload(SampleWorkload());
    for (std::uint64_t i = 0; i < trials; ++i) {
      store->AddTrial(key, MeasuredTrial(i));
    }
    store->AddFront(trials == 0 ? SampleFront(key) : SampleFront(key, {MeasuredTrial(0)}));
    return key;
  }

  std::string ErrorOfOpening(OpenMode mode = OpenMode::kReadWrite) {
    return DatabaseErrorOf([&] { OpenSqliteStore(database_, mode, {.busy_timeout_s = 0.1}); });
  }

  // Opening or reading everything: where damage has to show.
  std::string ErrorOfUsing(const Hash128& key) {
    return DatabaseErrorOf([&] {
      const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
      store->Workloads();
      store->Trials(key);
      store->Fronts(key);
    });
  }

  void Execute(const std::string& sql) {
    SQLite::Database connection(database_.string(), SQLite::OPEN_READWRITE);
    connection.exec(sql);
  }

  BankFolder folder_;
  fs::path database_ = folder_.database();
};

TEST_F(SqliteStoreTest, PathNamesTheTarget) {
  EXPECT_EQ(DatabasePath("/bank", "Ascend310P3"), fs::path("/bank/Ascend310P3/halftone.db"));
}

TEST_F(SqliteStoreTest, ReadingAMissingBank) {
  EXPECT_EQ(ErrorOfOpening(OpenMode::kReadOnly),
            "there is no knowledge base '" + database_.string() +
                "': check --op_bank_path and --soc_version, or fill it with `halftone tune`");
  EXPECT_FALSE(fs::exists(database_)) << "reading creates nothing";
}

TEST_F(SqliteStoreTest, ReadOnlyReadsAndDoesNotWrite) {
  const Hash128 key = Fill(3);
  const auto store = OpenSqliteStore(database_, OpenMode::kReadOnly);
  EXPECT_EQ(store->Trials(key).size(), 3U);
  EXPECT_THAT(DatabaseErrorOf([&] { store->AddTrial(key, MeasuredTrial(9)); }),
              AllOf(HasSubstr(database_.string()), HasSubstr("cannot be written")));
}

TEST_F(SqliteStoreTest, NotADatabase) {
  WriteFileAtomically(database_, std::string(5000, 'x'));
  EXPECT_THAT(ErrorOfOpening(),
              AllOf(HasSubstr("'" + database_.string() + "'"),
                    HasSubstr("is not a knowledge base (not an SQLite file)"),
                    HasSubstr("check the folder of the bank, or move the file away")));
  EXPECT_EQ(ReadFile(database_), std::string(5000, 'x')) << "left as it is";
}

TEST_F(SqliteStoreTest, ADatabaseOfAnotherProgram) {
  fs::create_directories(database_.parent_path());
  {
    SQLite::Database other(database_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE songs(title)");
  }
  const std::string before = ReadFile(database_);
  EXPECT_EQ(ErrorOfOpening(), "'" + database_.string() +
                                  "' is an SQLite database of another program, not a knowledge "
                                  "base: check the folder of the bank");
  EXPECT_EQ(ReadFile(database_), before);
}

TEST_F(SqliteStoreTest, ANewerVersionIsRefused) {
  Fill(1);
  Execute("PRAGMA user_version = 99; UPDATE meta SET value = '99'");
  const std::string expected = "the knowledge base '" + database_.string() +
                               "' was written by a newer halftone (schema 99, this one knows " +
                               std::to_string(kSchemaVersion) +
                               "): upgrade halftone, or use another folder for the bank";
  EXPECT_EQ(ErrorOfOpening(), expected);
  EXPECT_EQ(ErrorOfOpening(OpenMode::kReadOnly), expected);
}

TEST_F(SqliteStoreTest, AnEmptyFileIsANewBankForWritingOnly) {
  WriteFileAtomically(database_, "");
  EXPECT_THAT(ErrorOfOpening(OpenMode::kReadOnly), HasSubstr("is empty"));
  EXPECT_EQ(ErrorOfOpening(), "no error");
}

TEST_F(SqliteStoreTest, ACutOffFileIsNoticedAtEveryLength) {
  const Hash128 key = Fill(200);
  const std::string whole = ReadFile(database_);
  ASSERT_GT(whole.size(), 20U * 4096U);
  for (std::size_t size = 512; size < whole.size(); size += 4096 * 3 + 777) {
    WriteFileAtomically(database_, whole.substr(0, size));
    EXPECT_THAT(ErrorOfUsing(key), AllOf(HasSubstr(database_.string()), HasSubstr("restore it")))
        << "cut to " << size << " of " << whole.size();
  }
}

// Every bit that is flipped is either noticed or changes nothing that is read.
TEST_F(SqliteStoreTest, AFlippedBitIsNeverReadAsData) {
  const Hash128 key = Fill(30);
  const std::string whole = ReadFile(database_);
  std::vector<Trial> expected;
  for (const StoredTrial& stored : OpenSqliteStore(database_, OpenMode::kReadWrite)->Trials(key)) {
    expected.push_back(stored.trial);
  }
  for (std::size_t at = 100; at < whole.size(); at += 397) {  // a prime: all parts of pages
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    WriteFileAtomically(database_, damaged);
    try {
      const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
      std::vector<Trial> actual;
      for (const StoredTrial& stored : store->Trials(key)) {
        actual.push_back(stored.trial);
      }
      // A damaged index or key can hide rows, which look as if never measured; no number is wrong.
      for (const Trial& trial : actual) {
        EXPECT_NE(std::find(expected.begin(), expected.end(), trial), expected.end())
            << "bit flipped at byte " << at;
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDatabase) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(database_.string()));
    }
  }
}

// SQLite itself would read a sample with a flipped bit as another number.
TEST_F(SqliteStoreTest, AFlippedBitInASampleIsNoticed) {
  const Hash128 key = Fill(1);
  std::string bytes = ReadFile(database_);
  const double sample = 1.2;  // the second sample of the anchor in MeasuredTrial()
  const std::string needle(reinterpret_cast<const char*>(&sample), sizeof sample);
  const std::size_t at = bytes.find(needle);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  WriteFileAtomically(database_, bytes);
  EXPECT_EQ(ErrorOfUsing(key), "the knowledge base '" + database_.string() +
                                   "': trial 1 does not match its checksum: the file was damaged, "
                                   "restore it from a copy");
}

TEST_F(SqliteStoreTest, AFlippedBitInAnOperatorTimingIsNoticed) {
  Fill(1);
  OperatorTiming timing = testing::SampleTiming(2);
  timing.static_s = 0.8125;
  OpenSqliteStore(database_, OpenMode::kReadWrite)
      ->AddOperatorTimings(testing::SampleKernels(), {{timing}});
  std::string bytes = ReadFile(database_);
  std::string needle(reinterpret_cast<const char*>(&timing.static_s), sizeof timing.static_s);
  std::reverse(needle.begin(), needle.end());  // SQLite stores numbers big-endian
  const std::size_t at = bytes.find(needle);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] = static_cast<char>(bytes[at + 7] ^ 1);
  WriteFileAtomically(database_, bytes);
  EXPECT_EQ(
      DatabaseErrorOf([&] {
        OpenSqliteStore(database_, OpenMode::kReadOnly)->OperatorTimings(testing::SampleKernels());
      }),
      "the knowledge base '" + database_.string() +
          "': operator timing 1 does not match its checksum: the file was damaged, restore "
          "it from a copy");
}

TEST_F(SqliteStoreTest, ADamagedPageSaysSo) {
  const Hash128 key = Fill(200);
  std::string damaged = ReadFile(database_);
  damaged.replace(4096 * 5, 4096, std::string(4096, '\x5a'));
  WriteFileAtomically(database_, damaged);
  EXPECT_THAT(ErrorOfUsing(key),
              AllOf(HasSubstr("is damaged or cut short"), HasSubstr(".recover")));
}

TEST_F(SqliteStoreTest, ALockedBankSaysSo) {
  const Hash128 key = Fill(1);
  const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite, {.busy_timeout_s = 0.05});
  SQLite::Database other(database_.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_THAT(DatabaseErrorOf([&] { store->AddTrial(key, MeasuredTrial(5)); }),
              AllOf(HasSubstr(database_.string()), HasSubstr("is locked by another process")));
  EXPECT_EQ(store->Trials(key).size(), 1U) << "a reader never waits";
  other.exec("COMMIT");
  EXPECT_NO_THROW(store->AddTrial(key, MeasuredTrial(5)));
}

TEST_F(SqliteStoreTest, AFolderThatCannotBeWritten) {
  const Hash128 key = Fill(2);
  fs::permissions(database_, static_cast<fs::perms>(0444));
  fs::permissions(database_.parent_path(), static_cast<fs::perms>(0555));
  {
    const AsOrdinaryUser user;
    EXPECT_THAT(DatabaseErrorOf([&] {
                  const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
                  store->AddTrial(key, MeasuredTrial(3));
                }),
                AllOf(HasSubstr(database_.string()), HasSubstr("permissions")));
    const auto store = OpenSqliteStore(database_, OpenMode::kReadOnly);
    EXPECT_EQ(store->Trials(key).size(), 2U);
  }
  fs::permissions(database_.parent_path(), fs::perms::owner_all);
}

TEST_F(SqliteStoreTest, AFolderThatCannotBeCreated) {
  WriteFileAtomically(folder_.path() / "host", "a file where the folder should be");
  EXPECT_THAT(ErrorOfOpening(), AllOf(HasSubstr(database_.string()), HasSubstr("cannot be opened"),
                                      HasSubstr("folder")));
}

// A real SQLITE_FULL: the file may not grow beyond its size.
TEST_F(SqliteStoreTest, AFullDiskSaysSo) {
  Fill(1);
  SQLite::Database connection(database_.string(), SQLite::OPEN_READWRITE);
  connection.exec("PRAGMA max_page_count = 1");  // SQLite raises it to the present size
  const std::string message = DatabaseErrorOf([&] {
    TranslatingSqliteErrors(database_, [&] {
      connection.exec("CREATE TABLE big(x); INSERT INTO big VALUES (zeroblob(1000000))");
    });
  });
  EXPECT_THAT(message, AllOf(HasSubstr(database_.string()), HasSubstr("the disk is full"),
                             HasSubstr("everything stored so far is kept")));
}

TEST_F(SqliteStoreTest, UnknownCodesKeepSqlitesText) {
  const Error error = SqliteError("a.db", SQLITE_MISMATCH, "datatype mismatch");
  EXPECT_STREQ(error.what(),
               "the knowledge base 'a.db' failed: datatype mismatch (SQLite code 20)");
}

TEST_F(SqliteStoreTest, MeasurementsAreAppendOnly) {
  Fill(1);
  EXPECT_THROW(Execute("UPDATE trial SET ratio = 0.1"), SQLite::Exception);
  EXPECT_THROW(Execute("UPDATE metric SET mean = 0.1"), SQLite::Exception);
  EXPECT_THROW(Execute("UPDATE front SET strategy = 'x'"), SQLite::Exception);
  const OperatorTiming timing[] = {testing::SampleTiming(1)};
  OpenSqliteStore(database_, OpenMode::kReadWrite)
      ->AddOperatorTimings(testing::SampleKernels(), timing);
  EXPECT_THROW(Execute("UPDATE operator_timing SET ratio = 0.1"), SQLite::Exception);
  OpenSqliteStore(database_, OpenMode::kReadWrite)
      ->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(2));
  EXPECT_THROW(Execute("UPDATE operator_profile SET threads = 3"), SQLite::Exception);
  OpenSqliteStore(database_, OpenMode::kReadWrite)->AddCalibration(testing::SampleCalibration(1));
  EXPECT_THROW(Execute("UPDATE calibration SET cut = 'x'"), SQLite::Exception);
}

TEST_F(SqliteStoreTest, ADamagedOperatorProfileIsNoticed) {
  Fill(1);
  OpenSqliteStore(database_, OpenMode::kReadWrite)
      ->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(2));
  testing::EditBank(database_,
                    "UPDATE operator_profile SET content = replace(content, 'f32', 'f16')");
  EXPECT_EQ(DatabaseErrorOf([&] {
              OpenSqliteStore(database_, OpenMode::kReadOnly)
                  ->FindOperatorProfile(testing::SampleKernels(), "MatMul", 2);
            }),
            "the knowledge base '" + database_.string() +
                "': operator profile 1 does not match its checksum: the file was damaged, restore "
                "it from a copy");
}

TEST_F(SqliteStoreTest, ADamagedCalibrationIsNoticedUnlessAnotherHasTheKey) {
  const BankCalibration calibration = testing::SampleCalibration(2);
  Fill(1);
  OpenSqliteStore(database_, OpenMode::kReadWrite)->AddCalibration(calibration);
  testing::EditBank(database_, "UPDATE calibration SET quantization = x'00'");
  const auto find = [&] {
    return OpenSqliteStore(database_, OpenMode::kReadOnly)
        ->FindCalibration(calibration.model_hash, calibration.key);
  };
  EXPECT_EQ(DatabaseErrorOf(find),
            "the knowledge base '" + database_.string() +
                "': calibration 1 does not match its checksum: the file was damaged, restore it "
                "from a copy");
  OpenSqliteStore(database_, OpenMode::kReadWrite)->AddCalibration(calibration);
  testing::EditBank(database_, "UPDATE calibration SET recorded_at = '2999' WHERE id = 1");
  EXPECT_EQ(find(), calibration);
}

TEST_F(SqliteStoreTest, ADamagedSensitivityIsNoticed) {
  Fill(1);
  const Hash128 key = KeyOf(SampleWorkload());
  OpenSqliteStore(database_, OpenMode::kReadWrite)
      ->AddSensitivity(key, {4, 4}, testing::SampleSensitivity());
  EXPECT_THROW(Execute("UPDATE sensitivity SET content = '{}'"), SQLite::Exception);
  testing::EditBank(database_,
                    "UPDATE sensitivity SET content = replace(content, '65504', '65503')");
  try {
    OpenSqliteStore(database_, OpenMode::kReadOnly)->FindSensitivity(key, {4, 4});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("does not match its checksum"));
  }
}

TEST_F(SqliteStoreTest, SettingsOfTheFile) {
  Fill(1);
  SQLite::Database connection(database_.string(), SQLite::OPEN_READONLY);
  EXPECT_EQ(connection.execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ(connection.execAndGet("PRAGMA application_id").getInt(), kApplicationId);
  EXPECT_EQ(connection.execAndGet("PRAGMA user_version").getInt(), kSchemaVersion);
  EXPECT_EQ(
      connection.execAndGet("SELECT value FROM meta WHERE key = 'schema_version'").getString(),
      std::to_string(kSchemaVersion));
}

}  // namespace
}  // namespace halftone
