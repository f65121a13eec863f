// What is not a bank, or not one any more, in place of the file and beside it: one sentence each,
// and nothing waits or writes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/schema.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/limits.h"
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
using ::testing::Not;

void Fill(const fs::path& database) {
  const auto store = OpenSqliteStore(database, OpenMode::kReadWrite);
  store->AddTrial(store->AddWorkload(testing::SampleWorkload()), MeasuredTrial(1));
}

template <typename Body>
std::string DatabaseErrorOf(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDatabase) << error.what();
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  return "no error";
}

std::string ErrorOfOpening(const fs::path& database, OpenMode mode) {
  return DatabaseErrorOf([&] { OpenSqliteStore(database, mode, {.busy_timeout_s = 0.1}); });
}

// What stands in place of "halftone.db", with `suffix` behind it, beside an intact bank.
struct OddFile {
  const char* name;
  const char* suffix;
  void (*make)(const fs::path&);
  const char* message;
};

const OddFile kOddFiles[] = {
    {"APipe", "", [](const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); },
     "is a named pipe, not a knowledge base: check the folder of the bank"},
    {"AFolder", "", [](const fs::path& path) { fs::create_directory(path); },
     "is a folder, not a knowledge base: check the folder of the bank"},
    {"ASocket", "",
     [](const fs::path& path) { ASSERT_EQ(::mknod(path.c_str(), S_IFSOCK | 0600, 0), 0); },
     "is a socket, not a knowledge base: check the folder of the bank"},
    {"ADevice", "", [](const fs::path& path) { fs::create_symlink("/dev/zero", path); },
     "is a device, not a knowledge base: check the folder of the bank"},
    {"ALinkToItself", "", [](const fs::path& path) { fs::create_symlink(path.filename(), path); },
     "cannot be opened (Too many levels of symbolic links)"},
    {"ALinkIntoNowhere", "",
     [](const fs::path& path) { fs::create_symlink("/nonexistent/a/halftone.db", path); }, ""},
    {"ANameOfAFileForAFolder", "/halftone.db",
     [](const fs::path& path) { WriteFileAtomically(path.parent_path(), "a file"); }, ""},
    {"AText", "", [](const fs::path& path) { WriteFileAtomically(path, "a text\n"); },
     "is not a knowledge base (not an SQLite file)"},
    {"APipeForTheLog", "-wal",
     [](const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); },
     "halftone.db-wal', where SQLite keeps its write-ahead log, is a named pipe: move it away"},
    {"AFolderForTheLog", "-wal", [](const fs::path& path) { fs::create_directory(path); },
     "halftone.db-wal', where SQLite keeps its write-ahead log, is a folder: move it away"},
    {"ALinkForTheLog", "-wal", [](const fs::path& path) { fs::create_symlink("x", path); },
     "halftone.db-wal', where SQLite keeps its write-ahead log, is a link: move it away"},
    {"APipeForTheIndexOfTheLog", "-shm",
     [](const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); },
     "halftone.db-shm', where SQLite keeps the index of its write-ahead log, is a named pipe: move "
     "it away"},
    {"ADeviceForTheIndexOfTheLog", "-shm",
     [](const fs::path& path) { fs::create_symlink("/dev/null", path); },
     "halftone.db-shm', where SQLite keeps the index of its write-ahead log, is a link: move it "
     "away"},
    {"APipeForTheJournal", "-journal",
     [](const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); },
     "halftone.db-journal', where SQLite keeps its rollback journal, is a named pipe: move it "
     "away"},
};

class OddFileTest : public ::testing::TestWithParam<OddFile> {};

// `bank list` waited for ever at a pipe.
TEST_P(OddFileTest, IsRefusedInOneSentenceAndNothingWaits) {
  const BankFolder folder;
  const fs::path database = folder.database();
  fs::create_directories(database.parent_path());
  const fs::path odd = database.string() + GetParam().suffix;
  if (GetParam().suffix[0] == '-') {
    Fill(database);
  }
  GetParam().make(odd);
  const fs::path asked = GetParam().suffix[0] == '/' ? odd : database;
  const auto before = fs::symlink_status(odd);
  for (const OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
    const std::string text = ErrorOfOpening(asked, mode);
    EXPECT_THAT(text, HasSubstr("'" + asked.string() + "'"));
    EXPECT_THAT(text, HasSubstr(GetParam().message));
    EXPECT_THAT(text, Not(HasSubstr("SQLite code")));
  }
  EXPECT_THAT(DatabaseErrorOf([&] { VerifyBank(asked); }), HasSubstr(GetParam().message));
  EXPECT_EQ(fs::symlink_status(odd).type(), before.type()) << "left as it is";
}

INSTANTIATE_TEST_SUITE_P(Table, OddFileTest, ::testing::ValuesIn(kOddFiles),
                         [](const auto& row) { return row.param.name; });

TEST(OddBankTest, ALinkIntoNowhereSaysWhereItLeads) {
  const BankFolder folder;
  fs::create_directories(folder.database().parent_path());
  fs::create_symlink("/nonexistent/halftone.db", folder.database());
  EXPECT_THAT(ErrorOfOpening(folder.database(), OpenMode::kReadOnly),
              HasSubstr("there is no knowledge base '" + folder.database().string() +
                        "' (a link to '/nonexistent/halftone.db'): check --op_bank_path"));
}

// The log lies beside the file that a link leads to.
TEST(OddBankTest, ABankBehindALinkIsTheBank) {
  const BankFolder folder;
  const fs::path real = folder.path() / "disk/real.db";
  fs::create_directories(real.parent_path());
  fs::create_directories(folder.database().parent_path());
  fs::create_symlink(real, folder.database());
  const auto writer = OpenSqliteStore(folder.database(), OpenMode::kReadWrite);
  const Hash128 key = writer->AddWorkload(testing::SampleWorkload());
  EXPECT_TRUE(fs::exists(real.string() + "-wal"));
  writer->AddTrial(key, MeasuredTrial(1));
  EXPECT_EQ(OpenSqliteStore(folder.database(), OpenMode::kReadOnly)->Trials(key).size(), 1U);
  EXPECT_EQ(OpenSqliteStore(real, OpenMode::kReadOnly)->Trials(key).size(), 1U);
}

TEST(OddBankTest, AFileThatMayNotBeRead) {
  const BankFolder folder;
  Fill(folder.database());
  fs::permissions(folder.database(), fs::perms::none);
  {
    const AsOrdinaryUser user;
    EXPECT_THAT(ErrorOfOpening(folder.database(), OpenMode::kReadOnly),
                AllOf(HasSubstr("'" + folder.database().string() + "' cannot be opened"),
                      HasSubstr("readable"), Not(HasSubstr("SQLite code"))));
  }
  fs::permissions(folder.database(), fs::perms::owner_all);
}

TEST(OddBankTest, AFolderThatMayNotBeSearched) {
  const BankFolder folder;
  Fill(folder.database());
  fs::permissions(folder.database().parent_path(), fs::perms::none);
  {
    const AsOrdinaryUser user;
    EXPECT_THAT(ErrorOfOpening(folder.database(), OpenMode::kReadOnly),
                HasSubstr("cannot be opened (Permission denied)"));
  }
  fs::permissions(folder.database().parent_path(), fs::perms::owner_all);
}

// A bank after some SQL, which no halftone has run.
struct OddSchema {
  const char* name;
  const char* sql;
  const char* message;
};

const OddSchema kOddSchemas[] = {
    // "table meta already exists (SQLite code 1)"
    {"AVersionBelowZero", "PRAGMA user_version = -1",
     "is damaged or cut short (PRAGMA user_version is -1 and meta.schema_version"},
    {"TheLeastVersion", "PRAGMA user_version = -2147483648", "PRAGMA user_version is -2147483648"},
    {"TheGreatestVersion", "PRAGMA user_version = 2147483647", "PRAGMA user_version is 2147483647"},
    {"VersionZero", "PRAGMA user_version = 0", "PRAGMA user_version is 0"},
    {"AVersionThatMetaDoesNotKnow", "PRAGMA user_version = 2", "user_version is 2 and"},
    {"AVersionThatOnlyMetaKnows", "UPDATE meta SET value = '2'",
     "PRAGMA user_version is 1 and meta.schema_version 2"},
    {"BothVersionsBelowZero", "PRAGMA user_version = -1; UPDATE meta SET value = '-1'",
     "is damaged or cut short (its schema is -1, which no halftone has written)"},
    {"AnotherProgram", "PRAGMA application_id = 0", "is an SQLite database of another program"},
    // "no such table: operator_timing (SQLite code 1)"
    {"ATableIsMissing", "DROP TABLE operator_timing", "operator_timing"},
    // "no such column: sample_values (SQLite code 1)"
    {"AColumnIsMissing", "ALTER TABLE metric DROP COLUMN sample_values",
     "is damaged or cut short (the table metric is not that of schema"},
    {"AColumnIsOfAnotherName", "ALTER TABLE metric RENAME COLUMN mean TO average",
     "is damaged or cut short (the table metric is not that of schema"},
    {"AnIndexIsMissing", "DROP INDEX trial_by_identity",
     "is damaged or cut short (the index trial_by_identity of schema"},
    {"ATriggerIsMissing", "DROP TRIGGER trial_is_append_only",
     "is damaged or cut short (the trigger trial_is_append_only of schema"},
    {"AViewForATable", "DROP TABLE sensitivity; CREATE VIEW sensitivity AS SELECT 1 AS id",
     "sensitivity"},
    {"NoMeta", "DROP TABLE meta", "and meta.schema_version nothing"},
};

class OddSchemaTest : public ::testing::TestWithParam<OddSchema> {};

TEST_P(OddSchemaTest, IsRefusedInOneSentenceWithoutARawSqliteText) {
  const BankFolder folder;
  const fs::path database = folder.database();
  Fill(database);
  testing::RunSql(database, GetParam().sql);
  const std::string before = ReadFile(database);
  for (const OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
    const std::string text = ErrorOfOpening(database, mode);
    EXPECT_THAT(text, AllOf(HasSubstr("'" + database.string() + "'"), HasSubstr(GetParam().message),
                            Not(HasSubstr("SQLite code")), Not(HasSubstr("upgrade"))));
  }
  EXPECT_EQ(ReadFile(database), before) << "left as it is";
  try {
    EXPECT_FALSE(VerifyBank(database).findings.empty());
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(GetParam().message), Not(HasSubstr("SQLite code"))));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OddSchemaTest, ::testing::ValuesIn(kOddSchemas),
                         [](const auto& row) { return row.param.name; });

// What people add for themselves does not keep them from using it.
TEST(OddBankTest, ATableOfSomebodyElseIsLeftAlone) {
  const BankFolder folder;
  Fill(folder.database());
  testing::RunSql(folder.database(), "CREATE TABLE songs(title); ANALYZE");
  EXPECT_EQ(ErrorOfOpening(folder.database(), OpenMode::kReadOnly), "no error");
  EXPECT_EQ(ErrorOfOpening(folder.database(), OpenMode::kReadWrite), "no error");
  EXPECT_THAT(VerifyBank(folder.database()).findings,
              ::testing::ElementsAre(HasSubstr("the table songs is not of halftone")));
}

// Sizes of values are those of the file: none is taken memory for beyond what is ever written.
TEST(OddBankTest, AListOfNumbersThatIsCutIsDamage) {
  const BankFolder folder;
  const fs::path database = folder.path() / "halftone.db";
  Fill(database);
  testing::EditBank(database,
                    "UPDATE trial SET candidate_samples_s = "
                    "x'0000000000000000ff';");
  EXPECT_THAT(DatabaseErrorOf([&] {
                const auto store =
                    OpenSqliteStore(database, OpenMode::kReadOnly, {.check_integrity = false});
                store->Trials(store->Workloads().at(0).key);
              }),
              HasSubstr("a list of numbers has 9 bytes, which are no whole numbers of 8"));
}

TEST(OddBankTest, AValueBeyondWhatIsWrittenIsNotRead) {
  const BankFolder folder;
  const fs::path database = folder.path() / "halftone.db";
  Fill(database);
  testing::EditBank(database, fmt::format("UPDATE trial SET "
                                          "candidate_samples_s = zeroblob({});",
                                          limits::kMostBankValueBytes + 8));
  EXPECT_THAT(DatabaseErrorOf([&] {
                const auto store =
                    OpenSqliteStore(database, OpenMode::kReadOnly, {.check_integrity = false});
                store->Trials(store->Workloads().at(0).key);
              }),
              HasSubstr("has a value that is larger than any that is written"));
}

}  // namespace
}  // namespace halftone
