// Banks of the layouts of before schema 1: refused in one sentence, left as they are, and never
// taken for one of today.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/merge_bank.h"
#include "knowledge_base/schema.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/edit_bank.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::BankFolder;

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

std::string Refusal(const fs::path& database, int version) {
  return "the knowledge base '" + database.string() +
         "' is of a layout of before the first release (schema " + std::to_string(version) +
         " of 'hftn', expected 1 of 'hfbk'): export it with the halftone that wrote it (`halftone "
         "bank export`) and add that here with `halftone bank import`, or use another folder for "
         "the bank";
}

class OldBankTest : public ::testing::TestWithParam<int> {
 protected:
  // Everything that opens a bank refuses this one.
  void ExpectRefused(int version) {
    const std::string before = ReadFile(database_);
    const std::string refusal = Refusal(database_, version);
    for (const OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
      EXPECT_EQ(DatabaseErrorOf([&] { OpenSqliteStore(database_, mode); }), refusal);
    }
    EXPECT_EQ(DatabaseErrorOf([&] { VerifyBank(database_); }), refusal);
    EXPECT_EQ(DatabaseErrorOf([&] { ReadBank(database_, [](const BankRecord&) {}); }), refusal);
    EXPECT_EQ(DatabaseErrorOf([&] { AddToBank(database_, [](const RecordVisitor&) {}); }), refusal);
    const MergedBank merged = BankMerger(folder_.path() / "into.db").Add(database_);
    ASSERT_TRUE(merged.error);
    EXPECT_STREQ(merged.error->what(), refusal.c_str());
    EXPECT_EQ(ReadFile(database_), before) << "left as it is";
  }

  BankFolder folder_;
  fs::path database_ = folder_.database();
};

TEST_P(OldBankTest, IsRefusedInOneSentence) {
  testing::MakeBankOfBefore(database_, GetParam());
  ExpectRefused(GetParam());
  EXPECT_EQ(DatabaseErrorOf(
                [&] { OpenSqliteStore(database_, OpenMode::kReadOnly, {.immutable = true}); }),
            Refusal(database_, GetParam()));
}

// The file says whose tables these are, not how they look.
TEST_P(OldBankTest, IsRefusedWhateverItsTablesAre) {
  {
    const auto store = OpenSqliteStore(database_, OpenMode::kReadWrite);
    store->AddTrial(store->AddWorkload(testing::SampleWorkload()), testing::MeasuredTrial(1));
  }
  testing::RunSql(database_, "PRAGMA application_id = " + std::to_string(kApplicationIdOfBefore) +
                                 "; PRAGMA user_version = " + std::to_string(GetParam()) +
                                 "; UPDATE meta SET value = '" + std::to_string(GetParam()) + "'");
  ExpectRefused(GetParam());
}

// The versions that there were, and others.
INSTANTIATE_TEST_SUITE_P(Schemas, OldBankTest, ::testing::Values(1, 2, 7, 18, 19, 0, -1),
                         [](const auto& param) {
                           return param.param < 0 ? "negative" : std::to_string(param.param);
                         });

// Tables of another layout under the version of today are damage.
TEST_F(OldBankTest, TheTablesOfBeforeUnderTheVersionOfToday) {
  testing::MakeBankOfBefore(database_, 1);
  testing::RunSql(database_, "PRAGMA application_id = " + std::to_string(kApplicationId));
  const std::string before = ReadFile(database_);
  for (const OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
    EXPECT_THAT(DatabaseErrorOf([&] { OpenSqliteStore(database_, mode); }),
                ::testing::HasSubstr("is damaged or cut short (the index "));
  }
  EXPECT_EQ(ReadFile(database_), before);
}

// What a program that was killed left in the log went into the file when it was closed.
TEST_F(OldBankTest, ItsWriteAheadLogIsLeftAsItIs) {
  const fs::path used = folder_.path() / "used.db";
  testing::MakeBankOfBefore(used, 7);
  fs::create_directories(database_.parent_path());
  testing::WhileInUse(used, "INSERT INTO meta VALUES ('mood', 'good')", [&] {
    fs::copy_file(used, database_);
    fs::copy_file(used.string() + "-wal", database_.string() + "-wal");
  });
  const std::string log = ReadFile(database_.string() + "-wal");
  ASSERT_FALSE(log.empty());
  ExpectRefused(7);
  EXPECT_EQ(ReadFile(database_.string() + "-wal"), log);
}

}  // namespace
}  // namespace halftone
